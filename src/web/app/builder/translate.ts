import { problems } from '../../../domain/problem.ts'
import { type TranslatableText, translatableTexts } from '../../../domain/structure/edit/translations.ts'
import type { Structure, StructureLanguage } from '../../../domain/structure/structure.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, copyButton } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { rejectedPage } from '../../forms/form-page.ts'
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
/** Name of the field for the translations of all texts, and the beginning of each of its lines. */
const PASTED = 'all'
const NUMBERED = /^\s*[[［]\s*(\d{1,6})\s*[\]］]\s*(.*)$/

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
  const { context, survey, root, csrf, form } = request
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
    side: editMenu(request, 'languages', true),
    beforeHeading: backLink(`${root}edit/languages/`, t('Languages')),
    scripts: ['copy.js'],
    content: html`<form method="post" action="${pathWith(`${root}edit/languages/translate/`, { to: code })}"
        class="card translations">
      ${csrfField(csrf)}
      ${rejection}
      <p>
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
      ${missing > 0 && allAtOnce(texts, source.code, code, formValue(form, PASTED) ?? '')}
      ${rows}
      <div class="actions save-bar">
        <button class="primary">Save</button>
        <a class="button plain" href="${root}edit/languages/">Cancel</a>
      </div>
    </form>`,
  })
}

/** Renders the missing texts as numbered lines to copy, and the field into which their translations are pasted. */
function allAtOnce(texts: readonly TranslatableText[], from: string, to: string, pasted: string): Html {
  const lines = texts.flatMap(({ text }, index) =>
    textOf(text, to).trim() === '' ? [`[${index + 1}] ${textOf(text, from)}`] : [],
  )
  return html`<details class="all-at-once"${(pasted !== '' || lines.length === texts.length) && html` open`}>
    <summary>Translate all at once</summary>
    <p class="soft" id="all-hint">
      Copy the texts, and translate them with a program or a person of your choice. Paste the translation, with the
      numbers in brackets, and save.
    </p>
    <div class="pair">
      <div>
        <label for="all-texts">Texts to translate</label>
        <textarea class="box" id="all-texts" rows="8" readonly lang="${from}" dir="auto">${lines.join('\n')}</textarea>
        <p>${copyButton('all-texts', t('Copy all texts'))}</p>
      </div>
      <div>
        <label for="${PASTED}">Translated texts</label>
        <textarea class="box" id="${PASTED}" name="${PASTED}" rows="8" lang="${to}" dir="auto"
            aria-describedby="all-hint">${pasted}</textarea>
      </div>
    </div>
  </details>`
}

/** Returns pasted translations by number. Lines without a number belong to the text before them. */
function numberedTexts(pasted: string): Map<number, string> {
  const found = new Map<number, string>()
  let current: number | undefined
  for (const line of pasted.split(/\r?\n/)) {
    const [, number, text = ''] = NUMBERED.exec(line) ?? []
    if (number !== undefined) {
      current = Number(number)
      found.set(current, text)
    } else if (current !== undefined) found.set(current, `${found.get(current)}\n${line}`)
  }
  return found
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
  const names = Object.keys(form).filter((field) => field.startsWith(SEEN))
  const pasted = (formValue(form, PASTED) ?? '').trim()
  const numbered = numberedTexts(pasted)
  const isUnknown = [...numbered.keys()].some((number) => names[number - 1] === undefined)
  if (isUnknown || (pasted !== '' && numbered.size === 0))
    return rejectedPage(
      await translationsPage(
        request,
        alert(t('Nothing was saved. Begin each translated text with its number, such as [1], in a line of its own.')),
      ),
    )
  for (const [number, translation] of numbered) {
    const field = names[number - 1]!
    const text = field.slice(SEEN.length)
    if (translation.trim() === '' || translations[text] !== undefined) continue
    translations[text] = translation.trim()
    seen[text] = (formValue(form, field) ?? '').replaceAll('\r\n', '\n')
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
    redirect: pasted === '' ? `${root}edit/languages/` : pathWith(`${root}edit/languages/translate/`, { to: code }),
    flash: t('Translations into {name} saved to the draft.', { name }),
  })
}
