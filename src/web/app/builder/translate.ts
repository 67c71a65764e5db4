import { problems } from '../../../domain/problem.ts'
import { type TranslatableText, translatableTexts } from '../../../domain/structure/edit/translations.ts'
import type { Structure, StructureLanguage } from '../../../domain/structure/structure.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { storedText } from '../../i18n/stored-text.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { backLink, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { editorPage } from './editor-page.ts'
import { editMenu } from './menu.ts'
import { nameOfPage, textOf } from './texts.ts'

/**
 * Prefixes of the two form fields of each text. A `text.` field contains the entered text. The `seen.` field of the
 * same text contains the text that was stored when the page was opened.
 */
const FIELD = 'text.'
const SEEN = 'seen.'

const KIND_LABELS: () => Readonly<Record<TranslatableText['kind'], string>> = perLanguage(() => ({
  title: t('Title'),
  description: t('Description'),
  choice: t('Choice'),
  alt: t('Image description'),
  row: t('Row'),
  label: t('Label'),
  message: t('Message'),
}))

/**
 * Returns the language that the URL names.
 * @throws {Problem} `structure_changed` if the language was removed from the survey
 */
function languageIn({ query }: SurveyRequest, { languages }: Structure): StructureLanguage {
  const language = languages.find(({ code }) => code === query.get('to'))
  if (!language) throw problems.draftChanged()
  return language
}

/** Shows the texts of a survey beside their translations. */
export const showTranslations = (request: SurveyRequest): Promise<PageResult> => translationsPage(request)

async function translationsPage(request: SurveyRequest, rejection: Part = null): Promise<PageResult> {
  const { context, survey, root, csrf } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { code, name } = languageIn(request, structure)
  const source = structure.languages.find(({ isDefault }) => isDefault)!
  const texts = translatableTexts(structure).filter(({ text }) => textOf(text, source.code).trim() !== '')
  const missing = texts.filter(({ text }) => textOf(text, code).trim() === '').length
  let shownPage: number | undefined
  const rows = texts.map((text) => {
    const heading = text.page !== shownPage && text.page !== undefined
    shownPage = text.page
    return html`
      ${heading && html`<h2>${nameOfPage(structure.form[text.page!]!, text.page!, source.code)}</h2>`}
      ${translationRow(text, source.code, code, request)}`
  })
  return request.render({
    title: t('Translate into {name}', { name }),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(`${root}edit/languages/`, t('Languages')),
    content: html`<form method="post" action="${pathWith(`${root}edit/languages/translate/`, { to: code })}"
        class="card translations">
      ${csrfField(csrf)}
      ${rejection}
      <p class="soft">
        ${
          missing === 0
            ? t('Everything is translated.')
            : t('{missing} of {length} texts are not translated. Respondents see these texts in {name}.', {
                missing,
                length: texts.length,
                name: source.name,
              })
        }
      </p>
      ${rows}
      <div class="actions save-bar">
        <button class="primary">Save</button>
        <a class="button plain" href="${root}edit/languages/">Cancel</a>
      </div>
    </form>`,
  })
}

function translationRow(
  { name, text, kind }: TranslatableText,
  from: string,
  to: string,
  { form }: SurveyRequest,
): Html {
  const stored = textOf(text, to)
  const seen = formValue(form, SEEN + name)
  const value = formValue(form, FIELD + name) ?? stored
  const original = textOf(text, from)
  const rows = Math.min(6, Math.max(1, Math.ceil(original.length / 60), original.split('\n').length))
  return html`<div class="translation">
    <label for="${FIELD}${name}">
      <span class="soft">${KIND_LABELS()[kind]}</span> <span lang="${from}" dir="auto">${original}</span>
    </label>
    <div>
      ${value.trim() === '' && html`<span class="tag missing">Not translated</span>`}
      ${
        seen !== undefined &&
        seen.replaceAll('\r\n', '\n') !== stored &&
        html`<p class="warning">
          Someone else has changed this text to: <span lang="${to}" dir="auto">${stored || t('(blank)')}</span>
        </p>`
      }
      <input type="hidden" name="${SEEN}${name}" value="${stored}">
      <textarea class="box" id="${FIELD}${name}" name="${FIELD}${name}" rows="${rows}" lang="${to}"
          dir="auto">${value}</textarea>
    </div>
  </div>`
}

/**
 * Saves the translations that the author changed. Does not overwrite translations that someone else changed after the
 * page was opened.
 */
export async function saveTranslations(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { code, name } = languageIn(request, structure)
  const translations: Record<string, string> = {}
  const seen: Record<string, string> = {}
  for (const field of Object.keys(form)) {
    if (!field.startsWith(FIELD)) continue
    const text = field.slice(FIELD.length)
    const [entered, before] = [formValue(form, field) ?? '', formValue(form, SEEN + text) ?? '']
    const translation = entered.replaceAll('\r\n', '\n').trim()
    if (translation === before.replaceAll('\r\n', '\n').trim()) continue
    translations[text] = translation
    seen[text] = before.replaceAll('\r\n', '\n')
  }
  return editorPage(request, {
    operation: { op: 'translate', code, translations },
    label: storedText('{name} translated', { name }),
    isCurrent: (now) =>
      translatableTexts(now).every(
        (text) => seen[text.name] === undefined || textOf(text.text, code).replaceAll('\r\n', '\n') === seen[text.name],
      ),
    view: (messages) =>
      translationsPage(
        request,
        alert(t('Nothing was saved. {value} Check your texts below and save again.', { value: messages.join(' ') })),
      ),
    redirect: `${root}edit/languages/`,
    flash: t('Translations into {name} saved to the draft.', { name }),
  })
}
