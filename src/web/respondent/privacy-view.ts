import type { StoredData } from '../../domain/respondent/stored-data.ts'
import type { SurveyChange } from '../../domain/survey/save-version.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { directionOf, type PrivacyTexts, privacyTextsFor } from '../../domain/text/catalog.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { fill } from '../../lib/texts.ts'
import { pathFor, withQuery } from './address.ts'

/** Follows the path of a survey. */
export const PRIVACY_PATH = 'privacy/'

/** Returns the path of the page about the data that the responses of a collector contain. */
export const privacyPathFor = (
  snapshot: SurveySnapshot,
  { id, isDefault }: CollectorSnapshot,
  lang: string | undefined,
): string => withQuery(`${pathFor(snapshot)}${PRIVACY_PATH}`, { collector: isDefault ? undefined : id, lang })

const attributesOf = (language: string, pageLanguage: string): Part =>
  language !== pageLanguage && html` lang="${language}" dir="${directionOf(language)}"`

/** Renders the link to the page about the stored data. */
export function privacyLink(path: string, pageLanguage: string): Html {
  const { texts, language } = privacyTextsFor(pageLanguage)
  return html`<a href="${path}"${attributesOf(language, pageLanguage)}>${texts.title}</a>`
}

/** Renders the hash of the structure that was approved. */
export function approvalNote(hash: string, pageLanguage: string): Html {
  const { texts, language } = privacyTextsFor(pageLanguage)
  const [before, after] = texts.approved.split('{hash}')
  const attributes = attributesOf(language, pageLanguage)
  return html`<small class="approved"${attributes}>${before}<bdi>${hash}</bdi>${after}</small>`
}

/** What the page about the stored data says. */
export interface Privacy {
  stored: readonly StoredData[]
  notStored: readonly StoredData[]
  isAnonymous: boolean
  /** Number of collectors of the survey. */
  links: number
  /** Hosts that learn something about the respondent. */
  signInHost: string | undefined
  redirectHost: string | undefined
  /** Hosts of the panel to which respondents return. */
  panelHosts: readonly string[]
  /** Whether respondents get a code for their own response. */
  givesReceipt: boolean
  changes: readonly SurveyChange[]
}

/** Renders the page about the stored data. */
export function privacyView(privacy: Privacy, pageLanguage: string): Html {
  const { texts, language } = privacyTextsFor(pageLanguage)
  const { stored, notStored, isAnonymous, links, signInHost, redirectHost, panelHosts, givesReceipt, changes } = privacy
  const phrase = (content: StoredData) => fill(texts[content], { n: links })
  const hosts = [
    signInHost !== undefined && fill(texts.signIn, { host: signInHost }),
    redirectHost !== undefined && fill(texts.redirect, { host: redirectHost }),
    panelHosts.length > 0 && fill(texts.panel, { host: panelHosts.join(', ') }),
  ]
  const section = (title: string, all: readonly (string | false)[]) => {
    const items = all.filter(Boolean)
    return items.length > 0 && html`<h3>${title}</h3><ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`
  }
  return html`<section class="message privacy"${attributesOf(language, pageLanguage)}>
    <h2>${texts.title}</h2>
    <p>${texts.intro}</p>
    ${section(texts.storedTitle, [...stored.map(phrase), ...hosts])}
    ${section(texts.hiddenTitle, [
      ...notStored.map(phrase),
      isAnonymous && texts.minute,
      isAnonymous && texts.noOtherSites,
    ])}
    ${givesReceipt && html`<p>${texts.receipt}</p>`}
    ${isAnonymous && section(texts.visibleTitle, [texts.arrival, texts.used, texts.written, texts.operator])}
    <h3>${texts.changesTitle}</h3>
    ${
      changes.length > 0
        ? html`<ul>${changes.map((change) => html`<li>${changeView(change, texts, language)}</li>`)}</ul>`
        : html`<p>${texts.none}</p>`
    }
  </section>`
}

function changeView(change: SurveyChange, texts: PrivacyTexts, language: string): Html {
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(change.at)
  return html`<time datetime="${change.at.toISOString().slice(0, 10)}">${day}</time>: ${textOfChange(change, texts)}`
}

function textOfChange(change: SurveyChange, texts: PrivacyTexts): string {
  if (change.kind !== 'questions') return texts[change.kind]
  const { version, added, removed, changed } = change.detail
  const text = fill(texts.questions, { version })
  return added === undefined ? text : `${text} (${fill(texts.counts, { added, removed: removed!, changed: changed! })})`
}
