import type { Field } from '../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { RenderContext, ShownFile } from './question-view.ts'

/** Returns the name of the file input with which respondents add files to an answer. */
export const fileInputName = ({ storedKey }: Pick<Field, 'storedKey'>): string => `${storedKey}\\file`

/** Returns the size of a file as text in a language, such as 48.2 kB. */
export function fileSize(bytes: number, language: string): string {
  const [value, unit] =
    bytes < 1_000_000
      ? [bytes / 1000, 'kilobyte']
      : bytes < 1_000_000_000
        ? [bytes / 1_000_000, 'megabyte']
        : [bytes / 1_000_000_000, 'gigabyte']
  return new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value)
}

/**
 * Renders a stored file as a ticked checkbox. Without scripts, respondents remove the file by unticking the checkbox.
 */
const fileBox = (
  { i18n, idOf }: RenderContext,
  name: string,
  id: string,
  { key, name: file, bytes }: ShownFile,
): Html =>
  html`<li class="choice">
    <input type="checkbox" id="${idOf(id)}-${key}" name="${name}" value="${key}" checked>
    <label for="${idOf(id)}-${key}">
      <bdi class="file-name">${file}</bdi> <span class="size">${fileSize(bytes, i18n.language)}</span>
    </label>
  </li>`

/** Renders the stored files of a field. Respondents can keep or remove each file. */
export const filesPart = (context: RenderContext, { key, storedKey }: Field, stored: readonly ShownFile[]): Part => [
  html`<ul class="files choices">${stored.map((file) => fileBox(context, storedKey, key, file))}</ul>`,
  stored.length > 0 && html`<p class="hint untick">${context.i18n.text(context.i18n.texts.untickFile)}</p>`,
]
