import { problems } from '../../domain/problem.ts'
import { findSurveyTexts, updateSurveyTexts } from '../../domain/survey/texts.ts'
import { findWorkingCopy } from '../../domain/survey/working-copy.ts'
import {
  baseLanguage,
  changeableTexts,
  defaultTexts,
  languages,
  MAX_TEXT_CHARACTERS,
  placeholdersOf,
  textNames,
} from '../../domain/text/catalog.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { mainForm, type Text } from '../../lib/texts.ts'
import { csrfField } from '../csrf.ts'
import { errorSentence, errorSummary, type FormErrors, type SummaryField } from '../forms/field.ts'
import { formValue } from '../forms/form-fields.ts'
import { formPage } from '../forms/form-page.ts'
import { formatList } from '../i18n/i18n.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { pathWith } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { editMenu } from './builder/menu.ts'
import type { SurveyRequest } from './surveys/survey-page.ts'

/**
 * Prefixes of the two form fields of each text. A `text.` field contains the entered text. The `seen.` field of the
 * same text contains the text that was stored when the page was opened.
 */
const FIELD = 'text.'
const SEEN = 'seen.'

/** The data of the form for the texts in one language. */
interface TextsForm {
  code: string
  defaults: Readonly<Record<string, Text>>
  /** The language of the default texts. */
  defaultLanguage: string
  stored: Readonly<Record<string, string>>
  request: SurveyRequest
  errors: ReadonlyMap<string, string>
}

/**
 * Shows the default texts of the service that appear on survey pages, such as the labels of buttons. Beside each
 * default text is a field for a text of the owner, which respondents see instead of the default text.
 */
export const showSurveyTexts = (request: SurveyRequest): Promise<PageResult> => textsPage(request)

async function textsPage(request: SurveyRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, survey, root, csrf } = request
  const { overrides } = await findSurveyTexts(context, survey.id)
  const all = (await findWorkingCopy(context, survey.id)).structure.languages
  const language = languageIn(request, all)
  const { code } = language
  const { texts, language: defaultLanguage } = defaultTexts(code)
  const path = `${root}edit/texts/`
  const form: TextsForm = {
    code,
    defaults: changeableTexts(texts),
    defaultLanguage,
    stored: overrides[code] ?? {},
    request,
    errors: rejected?.errors ?? new Map(),
  }
  const isTranslated = Object.hasOwn(languages, baseLanguage(code))
  return request.render({
    title: t('Buttons and messages'),
    side: editMenu(request, 'texts'),
    content: html`
      ${all.length > 1 && languageLinks(path, all, code)}
      <form method="post" action="${pathWith(path, { to: code })}" class="translations">
        ${csrfField(csrf)}
        ${errorSummary(rejected, summaryFields(form))}
        <p class="soft">
          These texts appear on the pages of the survey. To replace a text, enter your own text. To keep a text, leave
          its field blank. Changes apply
          immediately.${
            !isTranslated &&
            html` Canvass has no translation into ${language.name}. If you leave a text blank, respondents see it in
              English.`
          }
        </p>
        ${textGroups().map((group) => groupView(group, form))}
        <div class="actions save-bar"><button class="primary">Save texts</button></div>
      </form>`,
  })
}

type Languages = Awaited<ReturnType<typeof findWorkingCopy>>['structure']['languages']

/** @throws {Problem} `survey_not_found` if the survey does not have the language that the URL names */
function languageIn({ query }: SurveyRequest, all: Languages): Languages[number] {
  const requested = query.get('to')
  const language = all.find(({ code, isDefault }) => (requested === null ? isDefault : code === requested))
  if (!language) throw problems.surveyNotFound()
  return language
}

const languageLinks = (path: string, all: Languages, current: string): Html =>
  html`<nav class="subtabs" aria-label="Languages">
    <ul>
      ${all.map(
        ({ code, name }) =>
          html`<li>
            <a href="${pathWith(path, { to: code })}" lang="${code}"${code === current && html` aria-current="page"`}>
              ${name}
            </a>
          </li>`,
      )}
    </ul>
  </nav>`

/**
 * Renders the texts of a group. The group is expanded if the owner has replaced one of its texts or one has an error.
 * The group of button labels is always expanded.
 */
function groupView({ id, title, names }: TextGroup, form: TextsForm): Html {
  const changed = names.filter((name) => form.stored[name] !== undefined).length
  const isOpen = id === 'buttons' || changed > 0 || names.some((name) => form.errors.has(fieldOf(form.code, name)))
  return html`<details class="card"${isOpen && html` open`}>
    <summary><h2>${title}</h2>${changed > 0 && html` <span class="tag">${changed} changed</span>`}</summary>
    ${names.map((name) => textRow(name, form))}
  </details>`
}

const fieldOf = (code: string, name: string) => `texts.${code}.${name}`

/** Returns the fields of the texts in the order of the page, each labelled with its default text. */
const summaryFields = ({ code, defaults }: TextsForm): SummaryField[] =>
  textGroups()
    .flatMap(({ names }) => names)
    .map((name) => ({ name: fieldOf(code, name), id: FIELD + name, label: `“${mainForm(defaults[name]!)}”` }))

function textRow(name: string, { code, defaults, defaultLanguage, stored, request, errors }: TextsForm): Html {
  const original = mainForm(defaults[name]!)
  const own = stored[name] ?? ''
  const seen = formValue(request.form, SEEN + name)
  const id = FIELD + name
  const error = errors.get(fieldOf(code, name))
  const placeholders = placeholdersOf(name)
  const notes: Part[] = [
    error && html`<p class="error" id="${id}-error">${errorSentence(t('The text'), error)}</p>`,
    seen !== undefined &&
      seen !== own &&
      html`<p class="warning">
        Someone else has changed this text to: <span lang="${code}" dir="auto">${own || t('(blank)')}</span>
      </p>`,
    placeholders.length > 0 &&
      html`<p class="hint" id="${id}-hint">Your text must contain ${formatList(placeholders)}.</p>`,
  ]
  const describedBy = [error && `${id}-error`, placeholders.length > 0 && `${id}-hint`].filter(Boolean).join(' ')
  const rows = Math.min(6, Math.max(1, Math.ceil(original.length / 60)))
  return html`<div class="translation">
    <label for="${id}" lang="${defaultLanguage}" dir="auto">${original}</label>
    <div>
      ${notes}
      <input type="hidden" name="${SEEN}${name}" value="${own}">
      <textarea class="box" id="${id}" name="${id}" rows="${rows}" maxlength="${MAX_TEXT_CHARACTERS}" lang="${code}"
          dir="auto"${describedBy && html` aria-describedby="${describedBy}"`}${error && html` aria-invalid="true"`}>${
            formValue(request.form, id) ?? own
          }</textarea>
    </div>
  </div>`
}

/**
 * Saves the texts that the owner changed. Does not overwrite texts that someone else changed after the page was opened.
 */
export async function saveSurveyTexts(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const { code, name: languageName } = languageIn(request, structure.languages)
  const change: Record<string, string> = {}
  const seen: Record<string, string> = {}
  for (const name of textNames) {
    const entered = formValue(form, FIELD + name)
      ?.replaceAll('\r\n', '\n')
      .trim()
    const before = formValue(form, SEEN + name)?.replaceAll('\r\n', '\n') ?? ''
    if (entered === undefined || entered === before) continue
    change[name] = entered
    seen[name] = before
  }
  return formPage(request, {
    fields: textNames.map((name) => fieldOf(code, name)),
    act: (writing) =>
      updateSurveyTexts(writing, survey.id, { [code]: change }, (overrides) =>
        Object.entries(seen).every(([name, before]) => (overrides[code]?.[name] ?? '') === before),
      ),
    view: (rejected) => textsPage(request, rejected),
    done: () => ({
      redirect: pathWith(`${root}edit/texts/`, { to: code }),
      flash: t('Texts in {languageName} saved.', { languageName }),
    }),
  })
}

/** A group of texts that the form shows together. */
interface TextGroup {
  id: string
  title: string
  names: readonly string[]
}

const named: () => readonly TextGroup[] = perLanguage(() => [
  {
    id: 'buttons',
    title: t('Buttons and labels'),
    names: [
      ...[
        'next',
        'back',
        'submit',
        'save_for_later',
        'required',
        'choose',
        'no_answer',
        'other_text',
        'agree',
        'progress',
      ],
      ...['pages', 'language', 'skip'],
    ],
  },
  {
    id: 'end',
    title: t('End of the survey'),
    names: [
      ...['thank_you_title', 'thank_you', 'terminated_title', 'terminated', 'full'],
      ...['saved_title', 'saved', 'continue_now', 'qr_code', 'copy_link', 'link_copied', 'email_link', 'email_address'],
      ...['send_link', 'link_sent', 'link_not_sent', 'link_subject', 'link_mail'],
      ...['resume_title', 'resume_text', 'resume_continue', 'start_again'],
    ],
  },
  {
    id: 'closed',
    title: t('Closed survey and invitations'),
    names: [
      ...['closed_title', 'closed', 'not_yet_open', 'ended', 'invitation_required', 'unknown_code', 'unlinked_code'],
      ...['used', 'no_saved_answers_title'],
    ],
  },
  {
    id: 'hints',
    title: t('Hints'),
    names: textNames.filter((name) => /^(choose_|number_|rating_|rank|move_|keep_|answer_first)/.test(name)),
  },
  {
    id: 'errors',
    title: t('Errors in answers'),
    names: ['error_title', 'error_prefix', ...textNames.filter((name) => /^error_(?!title$|prefix$)/.test(name))],
  },
])
const grouped = new Set(named().flatMap(({ names }) => names))

/** All texts that owners can change. */
const textGroups: () => readonly TextGroup[] = perLanguage(() => [
  ...named(),
  { id: 'access', title: t('Password, sign-in and problems'), names: textNames.filter((name) => !grouped.has(name)) },
])
