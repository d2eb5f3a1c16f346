import type UPlot from 'uplot';

declare global {
  /** Of the script that comes before, `uplot.js`. */
  const uPlot: typeof UPlot;
}
