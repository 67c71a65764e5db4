import type { Unavailability } from '../../domain/respondent/availability.ts'
import { fileFields } from '../../domain/structure/file-answer.ts'
import type { Questionnaire } from '../../domain/structure/questionnaire.ts'
import { directionOf } from '../../domain/text/catalog.ts'
import type { Theme } from '../../domain/theme/theme.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { mainForm } from '../../lib/texts.ts'
import { inOwnDirection, type Translator } from '../i18n/i18n.ts'
import { htmlDocument } from '../layout/document.ts'
import { message } from '../layout/parts.ts'
import { approvalNote, privacyLink } from './privacy-view.ts'
import { coverView, footerView, logoView, themeSheetPath } from './theme.ts'

/** The data that all pages of a survey need, apart from their content. */
export interface PageFrame {
  q: Questionnaire
  theme: Readonly<Theme>
  i18n: Translator
  /** A notice at the top of the page. */
  notice?: string | undefined
  /** The URL of the page about the stored data, if the footer links to it. */
  privacyPath?: string | undefined
  /** The hash of the structure if it was approved. */
  approvedHash?: string | null | undefined
  /** Returns the URL of this page in another language. */
  pathInLanguage(code: string): string
}

/** Maximum number of languages that are always visible. A longer list of languages is collapsed. */
const MAX_INLINE_LANGUAGES = 4

function languages({ q, i18n, pathInLanguage: inLanguage }: PageFrame): Part {
  if (q.languages.length < 2) return null
  const links = html`<ul>
    ${q.languages.map(({ code, name }) => {
      const current = code === i18n.language
      return html`<li>
        <a href="${inLanguage(code)}" lang="${code}" hreflang="${code}"${current && html` aria-current="true"`}>
          ${name}
        </a>
      </li>`
    })}
  </ul>`
  const label = i18n.texts.language
  const isCollapsed = q.display.languages
    ? q.display.languages === 'dropdown'
    : q.languages.length > MAX_INLINE_LANGUAGES
  if (!isCollapsed) return html`<nav class="languages" aria-label="${label}">${links}</nav>`
  const current = q.languages.find(({ code }) => code === i18n.language)
  return html`<nav class="languages" aria-label="${label}">
    <details><summary><span class="hidden">${i18n.text(label)}: </span>${current?.name}</summary>${links}</details>
  </nav>`
}

/**
 * Renders a page of a survey: a notice (such as in a preview), the title and description of the survey, the languages,
 * and the content.
 * @param head elements of the HTML head that describe the page to other sites
 * @param first whether this is the first page with questions; undefined for a page without questions
 * @param completed whether the respondent has reached the end
 */
export function surveyPage(
  frame: PageFrame,
  {
    first,
    completed = false,
    prefix,
    content,
    above,
    head,
  }: {
    first?: boolean | undefined
    completed?: boolean | undefined
    prefix: string
    content: Part
    above?: Part
    head?: Part
  },
): Html {
  const { q, theme, i18n, notice, privacyPath, approvedHash } = frame
  const title = i18n.plainText(q.title)
  const { headingOn } = q.display
  const untitled = first === false && headingOn === 'first page'
  const described = first || (first === false && headingOn === 'every page')
  return htmlDocument({
    scripts: [
      'survey.js',
      ...(fileFields(q).some(({ part }) => !part) ? ['upload.js' as const] : []),
      ...(theme.layout === 'question' ? ['one-question.js' as const] : []),
    ],
    themeSheet: themeSheetPath(theme),
    head,
    language: i18n.language,
    direction: directionOf(i18n.language),
    title: prefix ? `${prefix} – ${title}` : title,
    body: html`
      <a class="skip" href="#main">${i18n.text(i18n.texts.skip)}</a> ${above}
      <header class="top${!first && ' small'}">
        ${first && coverView(theme)}${logoView(theme)}
        ${languages(frame)}
        <h1${untitled && html` class="hidden"`}>${i18n.surveyText(q.title)}</h1>
        ${
          described &&
          i18n.plainText(q.description) !== '' &&
          html`<p class="description">${i18n.surveyText(q.description)}</p>`
        }
      </header>
      <main id="main" tabindex="-1"${completed && html` data-completed`}${
        theme.layout === 'question' &&
        html` data-next="${i18n.texts.next}" data-back="${i18n.texts.back}" data-required="${mainForm(
          i18n.texts.errors.required,
        )}" data-tap="${mainForm(i18n.texts.tapToContinue)}"`
      }>${notice && html`<p class="notice">${i18n.text(notice)}</p>`}${content}</main>
      ${footerView(
        theme,
        i18n,
        privacyPath !== undefined && privacyLink(privacyPath, i18n.language),
        approvedHash && approvalNote(approvedHash, i18n.language),
      )}`,
  })
}

/**
 * Renders the reason why a survey is unavailable. If the owner has written a message for the closed survey, this
 * message replaces the default text. If the respondent has a response, adds that it is stored.
 */
export function unavailableView(
  i18n: Translator,
  reason: Unavailability,
  closedMessage: string,
  codeGiven: boolean,
  isStored = false,
): Html {
  const { texts } = i18n
  if (reason === 'invitationRequired')
    return message(i18n.text(texts.closedTitle), i18n.text(codeGiven ? texts.unknownCode : texts.invitationRequired))
  return message(
    i18n.text(texts.closedTitle),
    closedMessage ? inOwnDirection(closedMessage, i18n.language) : i18n.text(texts[reason]),
    isStored && i18n.text(texts.closedSince),
  )
}

/**
 * Renders the password form of a survey.
 * @param fieldError the error of the password that was submitted before
 */
export const passwordView = (i18n: Translator, action: string, fieldError?: Part): Html =>
  html`<section class="message">
    <h2>${i18n.text(i18n.texts.passwordTitle)}</h2>
    <p id="password-d">${i18n.text(i18n.texts.passwordText)}</p>
    <form method="post" action="${action}">
      <div class="question${fieldError && ' invalid'}">
        <label class="question-label" for="password">${i18n.text(i18n.texts.password)}</label>
        ${fieldError && html`<p class="error" id="password-e" role="alert">${fieldError}</p>`}
        <input class="box" type="password" id="password" name="_password" autocomplete="current-password" required
            autofocus
            aria-describedby="password-d${fieldError && ' password-e'}"${fieldError && html` aria-invalid="true"`}>
      </div>
      <div class="actions"><button class="primary">${i18n.text(i18n.texts.goToSurvey)}</button></div>
    </form>
  </section>`
