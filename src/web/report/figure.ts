import { type Html, html } from '../../lib/html.ts'
import { draw } from './chart/draw.ts'
import type { Drawing } from './chart/drawing.ts'
import { type Plot, plotText, type Table, tableOf } from './plot.ts'

/** The widths in which each chart is drawn. The style sheet shows the drawing that fits the window. */
const WIDTHS_PX = { wide: 900, narrow: 300 } as const

/** The addresses at which the files of a chart can be downloaded. */
export interface Downloads {
  svg: string
  png: string
  /** The picture in the format of a slide. */
  slide: string
  csv: string
}

/**
 * Renders a chart in two widths, with its data as a table. Assistive technology treats the chart as an image, and
 * cannot reach links inside an image. The links are therefore in a second SVG that covers the chart.
 * @param downloads the addresses of the files; if it is absent, there are no download links
 */
export function figure(plot: Plot, title: string, downloads?: Downloads): Html {
  const alt = plotText(plot, title)
  const drawn = Object.entries(WIDTHS_PX).map(([name, width]) => surface(name, draw(plot, width), { alt, title }))
  return html`
    <div class="figure">${drawn}</div>
    <div class="figure-footer">
      <details class="numbers">
        <summary>Data<span class="hidden"> for ${title}</span></summary>
        ${tableView(tableOf(plot), title)}
      </details>
      ${
        downloads &&
        html`<p class="downloads">
          Download <a href="${downloads.svg}" download>SVG<span class="hidden"> for ${title}</span></a> <a
              href="${downloads.png}" download>PNG<span class="hidden"> for ${title}</span></a> <a
              href="${downloads.slide}" download>Slide<span class="hidden"> for ${title}</span></a> <a
              href="${downloads.csv}" download>CSV<span class="hidden"> for ${title}</span></a>
        </p>`
      }
    </div>`
}

/** The title of a chart and its text alternative. */
interface ChartText {
  title: string
  alt: string
}

function surface(name: string, { width, height, marks, areas }: Drawing, { alt, title }: ChartText): Html {
  const box = html`width="${width}" height="${Math.ceil(height)}" viewBox="0 0 ${width} ${Math.ceil(height)}"`
  return html`<div class="plot ${name}">
    <svg ${box} role="img" aria-label="${alt}">${marks}</svg>
    ${
      areas.length > 0 &&
      html`<svg ${box} class="areas" role="group" aria-label="Filter by an answer to ${title}">
        ${areas.map(
          ({ href, label, ...at }) =>
            html`<a href="${href}" aria-label="${label}">
              <title>${label}</title>
              <rect x="${at.x}" y="${at.y}" width="${at.width}" height="${at.height}"/>
            </a>`,
        )}
      </svg>`
    }
  </div>`
}

const tableView = ({ head, rows }: Table, title: string): Html =>
  html`<div class="data-table" tabindex="0" role="region" aria-label="Data for ${title}">
    <table>
      <caption class="hidden">${title}</caption>
      <thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
      <tbody>
        ${rows.map(
          ([name = '', ...cells]) =>
            html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
        )}
      </tbody>
    </table>
  </div>`
