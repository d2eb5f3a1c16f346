import { type Charset, decodeBody, latin1Text } from './charset.ts';
import type { PoolResponse } from './connection-pool.ts';
import type { HttpResponse } from './response.ts';

export type ResponseDecoder = {
  /** The charset of the last response beyond ASCII; undefined before there was one. */
  readonly charset: Charset | undefined;
  decode(response: PoolResponse): HttpResponse;
};

/**
 * Decodes bodies, and remembers what they showed of the shop's charset: an error page shows nothing of its data.
 *
 * @param setting the charset as configured: a label that `TextDecoder` knows
 */
export function createResponseDecoder(setting: string | undefined): ResponseDecoder {
  let charset: Charset | undefined;
  return {
    get charset() {
      return charset;
    },
    decode({ status, header, bytes }) {
      const contentType = header('content-type');
      const isKnownUtf8 = charset?.name === 'utf-8';
      const decoded = decodeBody(bytes, { contentType, setting, isKnownUtf8 });
      if (decoded.kind === 'undecodable') {
        return { status, header, text: latin1Text(bytes), undecodable: decoded.problem };
      }
      if (status <= 299) charset = decoded.charset ?? charset;
      return { status, header, text: decoded.text, undecodable: undefined };
    },
  };
}
