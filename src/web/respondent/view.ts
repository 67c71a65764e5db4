import type { Unavailability } from '../../domain/respondent/availability.ts'
import type { Questionnaire } from '../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { Voice } from '../i18n/i18n.ts'
import { directionOf } from '../i18n/locales.ts'
import { htmlDocument } from '../layout/document.ts'
import { message } from '../layout/message.ts'

/** What surrounds every page of a survey. */
export interface Surroundings {
  q: Questionnaire
  voice: Voice
  /** Said above everything. */
  notice?: string | undefined
  /** The address of this page in another language. */
  inLanguage(code: string): string
}

/** More languages than this are folded away. */
const SIDE_BY_SIDE = 4

function languages({ q, voice, inLanguage }: Surroundings): Part {
  if (q.languages.length < 2) return null
  const links = html`<ul>${q.languages.map(({ code, name }) => {
    const current = code === voice.language
    return html`<li><a href="${inLanguage(code)}" lang="${code}" hreflang="${code}"${current && html` aria-current="true"`}>${name}</a></li>`
  })}</ul>`
  const label = voice.words.language
  const folded = q.display.languages ? q.display.languages === 'dropdown' : q.languages.length > SIDE_BY_SIDE
  if (!folded) return html`<nav class="languages" aria-label="${label}">${links}</nav>`
  const current = q.languages.find(({ code }) => code === voice.language)
  return html`<nav class="languages" aria-label="${label}"><details><summary><span class="hidden">${voice.tell(label)}: </span>${current?.name}</summary>${links}</details></nav>`
}

/**
 * A page of a survey: what stands above everything (in a preview), its title and description, its languages, and what
 * it is about.
 * @param first whether these are the first questions; undefined where there are none
 */
export function surveyPage(
  around: Surroundings,
  { first, prefix, content, above }: { first?: boolean | undefined; prefix: string; content: Part; above?: Part },
): Html {
  const { q, voice, notice } = around
  const title = voice.plain(q.title)
  const { head } = q.display
  const untitled = first === false && head === 'first page'
  const described = first || (first === false && head === 'every page')
  return htmlDocument({
    scripts: ['survey.js'],
    language: voice.language,
    direction: directionOf(voice.language),
    title: prefix ? `${prefix} – ${title}` : title,
    body: html`<a class="skip" href="#main">${voice.tell(voice.words.skip)}</a>
${above}<header class="top${!first && ' small'}">${languages(around)}<h1${untitled && html` class="hidden"`}>${voice.say(q.title)}</h1>${
      described && voice.plain(q.description) !== '' && html`<p class="description">${voice.say(q.description)}</p>`
    }</header>
<main id="main" tabindex="-1">${notice && html`<p class="notice">${voice.tell(notice)}</p>`}${content}</main>`,
  })
}

/** Why a survey takes no answers; the owner's own words stand for ours where the survey is closed. */
export function refusalView(voice: Voice, refusal: Unavailability, closedMessage: string, codeGiven: boolean): Html {
  const { words } = voice
  if (refusal === 'invited')
    return message(voice.tell(words.closedTitle), voice.tell(codeGiven ? words.unknownCode : words.invited))
  const told = closedMessage || undefined
  return message(voice.tell(words.closedTitle), told ?? voice.tell(words[refusal]))
}

/**
 * Asks for the password of a survey.
 * @param fieldError what is wrong with the one that was given
 */
export const passwordView = (voice: Voice, action: string, fieldError?: Part): Html =>
  html`<section class="message"><h2>${voice.tell(voice.words.passwordTitle)}</h2><p id="password-d">${voice.tell(voice.words.passwordText)}</p>
<form method="post" action="${action}"><div class="question${fieldError && ' wrong'}"><label class="ask" for="password">${voice.tell(voice.words.password)}</label>${
    fieldError && html`<p class="fault" id="password-e" role="alert">${fieldError}</p>`
  }<input class="box" type="password" id="password" name="_password" autocomplete="current-password" required autofocus aria-describedby="password-d${fieldError && ' password-e'}"${fieldError && html` aria-invalid="true"`}></div>
<div class="actions"><button class="primary">${voice.tell(voice.words.enter)}</button></div></form></section>`
