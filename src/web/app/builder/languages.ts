import { translatableTexts } from '../../../domain/structure/edit/translations.ts'
import type { Structure, StructureLanguage } from '../../../domain/structure/structure.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import { isComplete } from '../../../domain/text/catalog.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { field, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { shownText, storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { editorPage, notSaved } from './editor-page.ts'
import { editMenu } from './menu.ts'
import { defaultCode, textOf } from './texts.ts'

/** Names of the languages that authors can choose, by code. Each name is in the language itself. */
const COMMON_LANGUAGES: Readonly<Record<string, string>> = {
  ar: 'العربية',
  cs: 'Čeština',
  da: 'Dansk',
  de: 'Deutsch',
  el: 'Ελληνικά',
  en: 'English',
  es: 'Español',
  fi: 'Suomi',
  fr: 'Français',
  he: 'עברית',
  hi: 'हिन्दी',
  hu: 'Magyar',
  it: 'Italiano',
  ja: '日本語',
  ko: '한국어',
  nb: 'Norsk bokmål',
  nl: 'Nederlands',
  pl: 'Polski',
  pt: 'Português',
  ro: 'Română',
  ru: 'Русский',
  sv: 'Svenska',
  tr: 'Türkçe',
  uk: 'Українська',
  zh: '中文',
}

/** Shows the languages of a survey, each with the number of its translated texts. */
export const showLanguages = (request: SurveyRequest): Promise<PageResult> => languagesPage(request)

async function languagesPage(request: SurveyRequest, rejection: Part = null): Promise<PageResult> {
  const { context, survey, root, csrf } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { texts } = await findSnapshot(context, survey.id, ['Edit', 'Test'])
  const path = `${root}edit/languages/`
  const used = new Set(structure.languages.map(({ code }) => code))
  const options = Object.entries(COMMON_LANGUAGES)
    .filter(([code]) => !used.has(code))
    .map(([code, name]) => ({
      value: code,
      label: isComplete(code, texts) ? `${name} (${code})` : t('{name} ({code}), buttons in English', { name, code }),
    }))
  return request.render({
    title: t('Languages'),
    side: editMenu(request, 'languages'),
    content: html`
      ${rejection}
      <section class="card">
        <ul class="rows">
          ${structure.languages.map((language) =>
            languageRow(language, structure, { path, csrf, hasSystemTexts: isComplete(language.code, texts) }),
          )}
        </ul>
      </section>
      <section class="card" aria-labelledby="add-language">
        <h2 id="add-language">Add a language</h2>
        <form method="post" action="${path}">
          ${csrfField(csrf)}
          ${select({
            name: 'language',
            label: t('Language'),
            options: [{ value: '', label: t('Choose a language') }, ...options],
          })}
          <details class="advanced">
            <summary>A language that is not in the list</summary>
            ${field({
              name: 'code',
              label: t('Code'),
              hint: t('For example, pt-BR. If you enter a code, the list above is ignored.'),
            })}
            ${field({
              name: 'name',
              label: t('Name'),
              hint: t('The name of the language, as its speakers write it. For example, Português.'),
            })}
          </details>
          <button class="primary" name="do" value="add">Add language</button>
        </form>
      </section>`,
  })
}

function languageRow(
  { code, name, isDefault }: StructureLanguage,
  structure: Structure,
  { path, csrf, hasSystemTexts }: { path: string; csrf: string; hasSystemTexts: boolean },
): Html {
  const { done, total } = progressOf(structure, code)
  const of = html`<span class="hidden"> ${name}</span>`
  return html`<li>
    <span>
      <strong lang="${code}">${name}</strong> <span class="soft">${code}</span> ${
        isDefault
          ? html`<span class="tag">Default</span>`
          : html`<span class="${done < total ? 'tag missing' : 'tag'}">${done} of ${total} texts translated</span>`
      }
      ${!hasSystemTexts && html` <span class="tag missing">Buttons and messages in English</span>`}
    </span>
    ${
      !isDefault &&
      html`<form method="post" action="${path}" class="card-actions">
        ${csrfField(csrf)}
        <input type="hidden" name="code" value="${code}">
        <a class="button plain small" href="${pathWith(`${path}translate/`, { to: code })}">Translate${of}</a>
        <button class="quiet small" name="do" value="default">Make default${of}</button>
        <button class="quiet small" name="do" value="remove">Remove${of}</button>
      </form>`
    }
  </li>`
}

/** Returns how many of the texts in the default language have a translation. */
function progressOf(structure: Structure, code: string): { done: number; total: number } {
  const source = defaultCode(structure)
  const texts = translatableTexts(structure).filter(({ text }) => textOf(text, source).trim() !== '')
  return { done: texts.filter(({ text }) => textOf(text, code).trim() !== '').length, total: texts.length }
}

/**
 * Adds or removes a language of the survey, or makes it the default. Translations into a removed language stay stored.
 */
export async function saveLanguages(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const action = formValue(form, 'do')
  const entered = (formValue(form, 'code') ?? '').trim()
  const code = entered || (formValue(form, 'language') ?? '')
  const name = (formValue(form, 'name') ?? '').trim() || COMMON_LANGUAGES[code] || code
  const languages =
    action === 'add'
      ? [...structure.languages, { code, name, isDefault: false }]
      : action === 'remove'
        ? structure.languages.filter((language) => language.code !== code || language.isDefault)
        : structure.languages.map((language) => ({ ...language, isDefault: language.code === code }))
  const label =
    action === 'add'
      ? storedText('{name} added', { name })
      : action === 'remove'
        ? storedText('Language {code} removed', { code })
        : storedText('Default language changed')
  return editorPage(request, {
    operation: { op: 'edit_survey', change: { languages } },
    label,
    view: (messages) => languagesPage(request, notSaved(messages)),
    redirect: action === 'add' ? pathWith(`${root}edit/languages/translate/`, { to: code }) : `${root}edit/languages/`,
    flash: `${shownText(label)}.`,
  })
}
