/** The reader's own font and colours, light or dark; wide tables scroll. */
export const STATUS_STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 1.5rem; }
h1 { font-size: 1.3rem; margin: 0; }
footer, header p, .note { color: color-mix(in srgb, CanvasText 70%, Canvas); }
header p { margin: 0 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 0.3rem 0.9rem 0.3rem 0; text-align: left; vertical-align: top; white-space: nowrap; }
thead th { font-weight: 500; border-bottom: 1px solid; }
tbody tr:first-child > * { border-top: 1px solid color-mix(in srgb, CanvasText 20%, Canvas); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.moment { font-variant-numeric: tabular-nums; }
.note td { padding-top: 0; white-space: normal; max-width: 70rem; overflow-wrap: anywhere; }
.state { font-weight: 600; }
.state::before { content: '● '; color: light-dark(#b26b00, #ffb74d); }
.complete::before { color: light-dark(#2e7d32, #81c784); }
.failing::before { color: light-dark(#c62828, #ef9a9a); }
.new::before { color: GrayText; }
`;
