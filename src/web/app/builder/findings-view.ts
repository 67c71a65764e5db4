import { type PublishingCheck, stopsPublishing } from '../../../domain/structure/publishing/findings.ts'
import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { isRecord } from '../../../domain/structure/walk.ts'
import type { StructureWarning } from '../../../domain/structure/warnings.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { warningText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { pathWith } from '../../layout/pager.ts'
import { pluralize } from '../../layout/pluralize.ts'
import { quotasOf } from './quota-form.ts'
import { cardTitle, defaultCode, nameOfPage } from './texts.ts'
import { cardAddress, pageAddress } from './window.ts'

/** The structure that was checked, and the address of its survey. */
interface Checked {
  root: string
  structure: Structure
}

/** Renders the findings of a check: those that stop publishing, then the others, each with a link to its place. */
export function findingsView(checked: Checked, { findings, total }: PublishingCheck): Html {
  const stopping = findings.filter(stopsPublishing)
  const others = findings.filter((finding) => !stopsPublishing(finding))
  return html`${
    stopping.length > 0 &&
    html`<section class="card findings" aria-labelledby="stopping"><h2 id="stopping">Fix before you publish</h2>${listOf(checked, stopping)}</section>`
  }${
    others.length > 0 &&
    html`<section class="card findings" aria-labelledby="others"><h2 id="others">Check before you publish</h2>${stopping.length === 0 && html`<p class="soft">You can publish the survey as it is.</p>`}${listOf(checked, others)}</section>`
  }${total > findings.length && html`<p class="soft">and ${pluralize(total - findings.length, 'more', 'more')}</p>`}`
}

/** Renders findings, with the translations that are missing behind one line for each language. */
export function listOf(checked: Checked, findings: readonly StructureWarning[]): Html {
  const untranslated = Map.groupBy(
    findings.filter(({ code }) => code === 'untranslated_text'),
    ({ values }) => String(values.language),
  )
  const others = findings.filter(({ code }) => code !== 'untranslated_text')
  return html`<ul class="finding-list">${others.map((finding) => html`<li>${placeOf(checked, finding)}${warningText(finding)}</li>`)}${[
    ...untranslated,
  ].map(
    ([language, texts]) =>
      html`<li><details><summary>${t('Not translated into {language}: {texts}', { language, texts: pluralize(texts.length, 'text') })}</summary><ul>${texts.map((finding) => html`<li>${placeOf(checked, finding)}“${finding.values.name}”</li>`)}</ul>${translateLink(checked, language)}</details></li>`,
  )}</ul>`
}

function translateLink({ root, structure }: Checked, name: string): Part {
  const language = structure.languages.find((one) => one.name.trim().startsWith(name))
  return (
    language &&
    html`<p><a href="${pathWith(`${root}edit/languages/translate/`, { to: language.code })}">Translate</a></p>`
  )
}

/** Renders the name of the place of a finding as a link to the page on which the author can change it. */
function placeOf(checked: Checked, { pointer, code }: StructureWarning): Part {
  const { root, structure } = checked
  const [, member, index = '', inner, position = ''] = pointer.split('/')
  const language = defaultCode(structure)
  const link = (path: string, label: string) => html`<a href="${path}">${label}</a>: `
  if (member === 'languages')
    return link(`${root}edit/languages/`, structure.languages[Number(index)]?.name ?? t('Languages'))
  if (member === 'quotas') {
    const quota = quotasOf(structure)[Number(index)]
    return link(`${root}edit/quotas/`, t('Quota “{value}”', { value: isRecord(quota) ? String(quota.name) : '' }))
  }
  if (member === 'title' || member === 'description') return link(`${root}edit/survey/`, t('Title and description'))
  const page = member === 'form' ? structure.form[Number(index)] : undefined
  if (!page) return code === 'no_questions' ? null : link(`${root}edit/json/`, t('JSON'))
  const question = inner === 'children' ? page.children[Number(position)] : undefined
  if (question) return link(addressOf(checked, question), cardTitle(question, structure, language))
  const path =
    inner === 'skip' ? pathWith(`${root}edit/skips/`, { page: index }) : pageAddress(root, structure, Number(index))
  return link(path, nameOfPage(page, Number(index), language))
}

const addressOf = ({ root, structure }: Checked, { id }: StructureQuestion): string => cardAddress(root, structure, id)
