/** Processes that die or stand still at a chosen point of their work. */
import type { RouteName } from '../../src/simulator/api/request-log.ts';
import type { Simulator } from '../../src/simulator/server.ts';
import type { Outcome, Running } from './command-line.ts';
import { type DatabaseProxy, forwardAll, type Statement } from './database-proxy.ts';
import { within } from './until.ts';

export type Watched = { readonly simulator: Simulator; readonly proxy: DatabaseProxy };

/** What happens at a point. The statement that is held back meanwhile goes on its way, or is lost. */
type Act = () => Promise<'deliver' | 'lose'>;

/**
 * A moment of a process's work. Arming it makes `act` be called once the moment comes; what the process waits for is
 * held back until `act` settles. The result takes it off.
 */
export type Point = (watched: Watched, act: Act) => () => void;

/** Ends a process as a power cut would, and waits until it is gone. */
export async function kill({ process: child, outcome }: Running): Promise<'lose'> {
  child.kill('SIGKILL');
  await outcome;
  return 'lose';
}

/** Tells a process to end, and waits until it has. */
export async function stop(
  { process: child, outcome }: Running,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<Outcome> {
  child.kill(signal);
  return within(`the process ends after ${signal}`, outcome);
}

/** A process that stands still. */
export type Paused = Running & {
  /** Lets it go on, and waits for its end. */
  resume(): Promise<Outcome>;
};

/**
 * Starts a process and stops it at a point, once all else that it was about is done: it opens no connection then, which
 * would be given up when it wakes, and has no other transaction open.
 */
export async function pauseAt(watched: Watched, point: Point, start: () => Running): Promise<Paused> {
  const [reached, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const disarm = point(watched, async () => {
    await watched.proxy.quiet();
    running.process.kill('SIGSTOP');
    reached.resolve();
    await resumed.promise;
    return 'deliver';
  });
  const running = start();
  await untilReached(running, reached.promise);
  const resume = async () => {
    running.process.kill('SIGCONT');
    resumed.resolve();
    const outcome = await within('the process that stood still ends', running.outcome);
    disarm();
    return outcome;
  };
  return { ...running, resume };
}

/** Settles with the point that a process is to come to. @throws Error when it ends before */
export async function untilReached(running: Running, point: Promise<void>): Promise<void> {
  const ended = running.outcome.then((outcome) => outcome.stderr);
  const complaint = await within('the process comes to the point', Promise.race([point, ended]));
  if (complaint !== undefined) throw new Error(`the process ended before it came to the point: ${complaint}`);
}

/** When the shop has received the n-th request of a route, or of any, and not answered it. */
export function atRequest(route: RouteName | 'any', nth = 1) {
  return ({ simulator }: Pick<Watched, 'simulator'>, act: Act) => {
    let seen = 0;
    return simulator.requests.onRequest(async (request) => {
      const isMeant = route === 'any' || request.route === route;
      if (isMeant && ++seen === nth) await act();
    });
  };
}

export type Side = 'before' | 'after';

/** At the n-th statement of a kind: before the database has it, or when it is done and not answered. */
export function atStatement(side: Side, matches: (statement: Statement) => boolean, nth = 1): Point {
  return ({ proxy }, act) => {
    let seen = 0;
    proxy.handle(async (statement, forward) => {
      const isPoint = matches(statement) && ++seen === nth;
      if (isPoint && side === 'before' && (await act()) === 'lose') return;
      await forward();
      if (isPoint && side === 'after') await act();
    });
    return () => proxy.handle(forwardAll);
  };
}

/**
 * A while after the n-th event, which is a request, a statement, or an answer of the database. The event itself is
 * held back only where there is no while.
 */
export function afterEvents(nth: number, delayMs: number): Point {
  return ({ simulator, proxy }, act) => {
    let seen = 0;
    const pass = async () => {
      if (++seen !== nth) return 'deliver';
      if (delayMs === 0) return act();
      setTimeout(() => void act(), delayMs);
      return 'deliver';
    };
    const forget = simulator.requests.onRequest(async () => void (await pass()));
    proxy.handle(async (_statement, forward) => {
      if ((await pass()) === 'lose') return;
      await forward();
      await pass();
    });
    return () => {
      forget();
      proxy.handle(forwardAll);
    };
  };
}
