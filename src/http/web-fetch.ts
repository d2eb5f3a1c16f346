/**
 * What ky builds its requests of, by the package that sends them: Node would load a second copy of it, which takes longer than all
 * else that a request needs.
 */
import { FormData, Headers, Request, Response } from 'undici';

Object.assign(globalThis, { FormData, Headers, Request, Response });
