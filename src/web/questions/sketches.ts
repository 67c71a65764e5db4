import { type Html, html, trusted } from '../../lib/html.ts'
import { type KnownKind, kindOf, questionTypes } from '../../questions/index.ts'

const BOX = '<rect x="2" y="4" width="28" height="12" rx="2"/>'
const ROWS = '<path d="M2 5h6M2 15h6"/>'
const LINES = '<rect x="12" y="2" width="18" height="6" rx="1"/><rect x="12" y="12" width="18" height="6" rx="1"/>'
/** Draws a shape at each place of a grid with two rows and three columns. */
const cells = (shape: (x: number, y: number) => string): string =>
  [5, 15].flatMap((y) => [14, 21, 28].map((x) => shape(x, y))).join('')

/** The sketch of each question type, in a box of 32 by 20 units: what respondents see of it. */
const SKETCHES: Readonly<Record<KnownKind, string>> = {
  'single-choice':
    '<circle cx="6" cy="5" r="3"/><circle cx="6" cy="5" r="1"/><circle cx="6" cy="15" r="3"/><path d="M12 5h15M12 15h11"/>',
  'multiple-choice':
    '<rect x="3" y="2" width="6" height="6" rx="1"/><rect x="3" y="12" width="6" height="6" rx="1"/><path d="m4.5 5 1.2 1.2L8 4M12 5h15M12 15h11"/>',
  'image-choice':
    '<rect x="2" y="3" width="13" height="14" rx="1.5"/><path d="m2 14 4-4 3 3 2-2 4 3"/><rect x="18" y="3" width="12" height="14" rx="1.5"/><circle cx="24" cy="8" r="1.5"/>',
  'dropdown-choice': `${BOX}<path d="M6 10h10M22 9l2 2 2-2"/>`,
  'boolean-choice':
    '<rect x="2" y="5" width="13" height="10" rx="2"/><path d="m6 10 2 2 3.5-4"/><rect x="17" y="5" width="13" height="10" rx="2"/><path d="m21.5 8 4 4m0-4-4 4"/>',
  ranking: '<path d="M3 4l2-1v5M3 13.5c0-2.5 3-2.5 3 0 0 1.5-3 2-3 3.5h3M11 6h17M11 15h11"/>',
  'text-response': `${BOX}<path d="M6 7v6M10 10h12"/>`,
  number: `${BOX}<path d="M6 8l1.5-1v6M12 8.5c0-2 3-2 3 0 0 1.5-3 2.5-3 4.5h3M24 9l1.5-2L27 9M24 11l1.5 2 1.5-2"/>`,
  'constant-sum': '<path d="M3 4h13M3 10h9M3 16h11M29 4h-7l4 6-4 6h7"/>',
  email: '<rect x="5" y="3" width="22" height="14" rx="2"/><path d="m5 5 11 7 11-7"/>',
  datetime: '<rect x="6" y="4" width="20" height="14" rx="2"/><path d="M6 9h20M11 2v4M21 2v4M11 13h2M16 13h2"/>',
  rating: [1, 12, 23]
    .map((x) => `<path d="m${x + 4} 5 1.4 2.9 3.1.4-2.3 2.1.6 3.1-2.8-1.5-2.8 1.5.6-3.1L${x - 0.5} 8.3l3.1-.4z"/>`)
    .join(''),
  slider: '<path d="M2 10h14M24 10h6"/><circle cx="20" cy="10" r="4"/>',
  'net-promoter':
    '<rect x="2" y="5" width="28" height="10" rx="1.5"/><path d="M7.6 5v10M13.2 5v10M18.8 5v10M24.4 5v10"/>',
  'single-choice-grid': ROWS + cells((x, y) => `<circle cx="${x}" cy="${y}" r="2.5"/>`),
  'multiple-choice-grid': ROWS + cells((x, y) => `<rect x="${x - 2.5}" y="${y - 2.5}" width="5" height="5" rx="1"/>`),
  'dropdown-grid': `${ROWS}${LINES}<path d="m24 4.3 1.5 1.5L27 4.3M24 14.3l1.5 1.5 1.5-1.5"/>`,
  'text-response-grid': ROWS + LINES,
  'file-upload': '<path d="M16 13V3M12 7l4-4 4 4M6 12v5h20v-5"/>',
  signature: '<path d="M3 13C7 3 10 3 9 10s2 4 4 1 3-2 4 0 3 2 5-1M3 17h26"/>',
  consent: '<rect x="4" y="5" width="10" height="10" rx="2"/><path d="m6.5 10 2 2 3.5-4M18 7h11M18 13h8"/>',
  'section-separator': '<path stroke-width="2.5" d="M3 5h12"/><path d="M3 11h26M3 16h20"/>',
  'random-group': '<path d="M3 5h6l12 10h8M3 15h6L21 5h8M26 2l3 3-3 3M26 12l3 3-3 3"/>',
  'hidden-field': '<path d="M6 10c3-6 17-6 20 0-3 6-17 6-20 0M8 18 24 2"/>',
  calculation: '<path d="M5 6h6M8 3v6M20 6h7M5 13l5 5m0-5-5 5M20 14h7M20 17h7"/>',
}

/**
 * Renders the sketches of all question types, to which {@link sketch} refers. They are once in a page, however many
 * questions it shows.
 */
export const sketchSprite = (): Html =>
  html`<svg hidden aria-hidden="true">
    ${Object.entries(SKETCHES).map(
      ([kind, drawing]) => html`<symbol id="kind-${kind}" viewBox="0 0 32 20">${trusted(drawing)}</symbol>`,
    )}
  </svg>`

/** Renders the sketch of a question type; nothing for an unknown type. Screen readers skip it. */
export const sketch = (idname: unknown): Html | null => {
  const kind = kindOf(idname)
  return Object.hasOwn(questionTypes, kind)
    ? html`<svg class="sketch" width="32" height="20" aria-hidden="true"><use href="#kind-${kind}"/></svg>`
    : null
}
