/** Accounts that the simulated shop does not have, as the shop answers for them. */
import type { JsonObject } from '../../../src/model/json.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { withoutGroups } from '../sweep.ts';

/** @param profiles `content` by the number of the account; `oid` in it: that of the record, if it is another one */
export function serveAccounts(profiles: Readonly<Record<string, JsonObject>>): (api: ShopApi) => ShopApi {
  return (api) => {
    const userResponse: ShopApi['userResponse'] = async (key, signal) => {
      const reply = await api.userResponse(key, signal);
      const profile = profiles[key];
      if (profile === undefined) return reply;
      const { oid = Number(key), ...content } = profile;
      const raw = { oid, parent_oid: 0, name: content['name'] ?? '', content };
      return { ...reply, found: { kind: 'found', userOid: key, raw } };
    };
    return { ...withoutGroups(api), userResponse };
  };
}
