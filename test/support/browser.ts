/** A real Chromium, where there is one. */
import { existsSync } from 'node:fs';

import { type Browser, chromium, type Page } from 'playwright-core';

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

export const hasBrowser = EXECUTABLE !== undefined;

/** With an empty profile of its own, which is removed when it is closed. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(EXECUTABLE && { executablePath: EXECUTABLE }),
    args: ['--disable-gpu', '--disable-quic'],
  });
}

/** What no page may do: write to the console, fail, ask others, or be stopped by its own policy. */
export function watchFaults(page: Page): readonly string[] {
  const faults: string[] = [];
  page.on('console', (message) => faults.push(`console ${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== '127.0.0.1') faults.push(`request to ${hostname}`);
  });
  return faults;
}
