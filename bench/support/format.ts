/** Figures as text for tables. */

export const count = (value: number) => Math.round(value).toLocaleString('en');
export const seconds = (ms: number, digits = 1) => (ms / 1_000).toFixed(digits);
export const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
export const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
