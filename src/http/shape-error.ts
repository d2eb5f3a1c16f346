import { TerminalError } from '../errors.ts';

/** A whole response is not of the documented shape, or too large to be one. */
export class ShapeError extends TerminalError {}
