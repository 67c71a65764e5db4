import { type Html, html } from '../../../lib/html.ts'
import { option, pageForm } from '../../filter/form.ts'
import { t } from '../../i18n/t.ts'
import type { Column } from './columns.ts'
import type { ResponsesRequest } from './frame.ts'

/** Renders the form for the columns, the language and the order of the list. */
export function columnsForm(
  page: ResponsesRequest,
  { meta, questions, shown }: { meta: readonly Column[]; questions: readonly Column[]; shown: readonly Column[] },
): Html {
  const { listQuery, textContext } = page
  const isShown = new Set(shown.map(({ name }) => name))
  const checkbox = ({ name, title }: Column) =>
    html`<li><label><input type="checkbox" name="column" value="${name}"${isShown.has(name) && html` checked`}> <span>${title}</span></label></li>`
  const { languages, defaultLanguage } = textContext.q
  const content = html`
<fieldset class="boxes"><legend>Response details</legend><ul>${meta.map(checkbox)}</ul></fieldset>
${questions.length > 0 && html`<fieldset class="boxes"><legend>Questions</legend><ul>${questions.map(checkbox)}</ul></fieldset>`}
<div class="form-row">${
    languages.length > 1 &&
    html`<div><label for="language">Language of labels</label><select class="box" id="language" name="language">${languages.map(
      ({ code, name }) => option(code === defaultLanguage ? '' : code, name, code === textContext.language),
    )}</select></div>`
  }<div><label for="order">Order</label><select class="box" id="order" name="order">${option('', t('Newest first'), !listQuery.oldestFirst)}${option('oldest', t('Oldest first'), listQuery.oldestFirst)}</select></div>
<button>Apply</button></div>`
  return html`<details class="fold"><summary>Columns and order</summary>${pageForm(page, 'view', html`class="card"`, content)}</details>`
}
