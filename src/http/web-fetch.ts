/** What ky builds requests and responses of, from the package that sends them: Node would load a second copy of it for its own. */
import { FormData, Headers, Request, Response } from 'undici';

Object.assign(globalThis, { FormData, Headers, Request, Response });
