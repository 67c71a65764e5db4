import { type Html, html } from '../../lib/html.ts'
import { draw } from './chart/draw.ts'
import type { Drawing } from './chart/drawing.ts'
import type { Plot } from './plot.ts'
import { type Table, tableOf } from './plot-table.ts'
import { wordsOf } from './plot-words.ts'

/** Widths that charts are drawn in: the style sheet shows the one that has room. */
const WIDTHS = { wide: 900, narrow: 300 } as const

/** What can be kept of a chart. */
export interface Downloads {
  svg: string
  png: string
  csv: string
}

/**
 * A chart twice, for wide and for narrow places, with its numbers as a table. What leads on lies in a picture of its own
 * above the marks: inside an image nothing can be reached.
 */
export function figure(plot: Plot, title: string, downloads: Downloads): Html {
  const alt = wordsOf(plot, title)
  const drawn = Object.entries(WIDTHS).map(([name, width]) => surface(name, draw(plot, width), { alt, title }))
  return html`<div class="figure">${drawn}</div>
<div class="under"><details class="numbers"><summary>Data<span class="hidden"> for ${title}</span></summary>${tableView(tableOf(plot), title)}</details>
<p class="keep">Download <a href="${downloads.svg}" download>SVG<span class="hidden"> for ${title}</span></a> <a href="${downloads.png}" download>PNG<span class="hidden"> for ${title}</span></a> <a href="${downloads.csv}" download>CSV<span class="hidden"> for ${title}</span></a></p></div>`
}

/** What a chart is called, and what it says in words. */
interface Named {
  title: string
  alt: string
}

function surface(name: string, { width, height, marks, areas }: Drawing, { alt, title }: Named): Html {
  const box = html`width="${width}" height="${Math.ceil(height)}" viewBox="0 0 ${width} ${Math.ceil(height)}"`
  return html`<div class="plot ${name}"><svg ${box} role="img" aria-label="${alt}">${marks}</svg>${
    areas.length > 0 &&
    html`<svg ${box} class="areas" role="group" aria-label="Filter by an answer to ${title}">${areas.map(
      ({ href, label, ...at }) =>
        html`<a href="${href}" aria-label="${label}"><title>${label}</title><rect x="${at.x}" y="${at.y}" width="${at.width}" height="${at.height}"/></a>`,
    )}</svg>`
  }</div>`
}

/** The cells after the first are numbers. */
const tableView = ({ head, rows }: Table, title: string): Html =>
  html`<div class="counted" tabindex="0" role="region" aria-label="Data for ${title}"><table><caption class="hidden">${title}</caption><thead><tr>${head.map(
    (cell) => html`<th scope="col">${cell}</th>`,
  )}</tr></thead><tbody>${rows.map(
    ([name = '', ...cells]) =>
      html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`
