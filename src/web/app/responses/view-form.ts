import { type Html, html } from '../../../lib/html.ts'
import type { Column } from './columns.ts'
import { composing, option } from './filter-rows.ts'
import type { ResponsesRequest } from './frame.ts'

/** Which columns, in which language, in which order. */
export function viewForm(
  { top, asked, telling }: ResponsesRequest,
  { meta, questions, shown }: { meta: readonly Column[]; questions: readonly Column[]; shown: readonly Column[] },
): Html {
  const isShown = new Set(shown.map(({ name }) => name))
  const box = ({ name, title }: Column) =>
    html`<li><label><input type="checkbox" name="column" value="${name}"${isShown.has(name) && html` checked`}> <span>${title}</span></label></li>`
  const { languages, defaultLanguage } = telling.q
  return html`<details class="fold"><summary>Columns and order</summary><form method="get" action="${top}compose/" class="card">${composing('view', asked)}
<fieldset class="boxes"><legend>Response details</legend><ul>${meta.map(box)}</ul></fieldset>
${questions.length > 0 && html`<fieldset class="boxes"><legend>Questions</legend><ul>${questions.map(box)}</ul></fieldset>`}
<div class="sift">${
    languages.length > 1 &&
    html`<div><label for="language">Language of labels</label><select class="box" id="language" name="language">${languages.map(
      ({ code, name }) => option(code === defaultLanguage ? '' : code, name, code === telling.language),
    )}</select></div>`
  }<div><label for="order">Order</label><select class="box" id="order" name="order">${option('', 'Newest first', !asked.oldestFirst)}${option('oldest', 'Oldest first', asked.oldestFirst)}</select></div>
<button>Apply</button></div></form></details>`
}
