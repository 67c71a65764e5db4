import { problems } from '../../domain/problem.ts'
import { listTexts, type TextPage } from '../../domain/report/texts.ts'
import { type Html, html } from '../../lib/html.ts'
import { parseId } from '../session.ts'
import { addressOf, OWN } from './conditions.ts'
import { chipsView } from './filtering.ts'
import { voiceFor } from './i18n.ts'
import { partOf, type ReportRequest, searchFor, showsTexts } from './report-request.ts'
import { textsPath, writtenView } from './text-answers.ts'

/** Texts on a page. */
const SIZE = 20

/**
 * What was written under one response key, twenty a page, the newest first, with a search.
 * @throws {Problem} `question_not_found`, also where the report does not share text answers
 */
export async function textsPage(
  looking: ReportRequest,
  key: string,
  query: URLSearchParams,
): Promise<{ title: string; content: Html }> {
  if (!showsTexts(looking)) throw problems.questionNotFound()
  const search = query.get(OWN.words)?.trim() || undefined
  const before = parseId(query.get(OWN.before) ?? '') || undefined
  const page = await listTexts(looking.context, looking.survey.id, looking.design, searchFor(looking), {
    key,
    limit: SIZE,
    ...(search && { search }),
    ...(before && { before }),
  })
  const voice = voiceFor(page.q, looking.language)
  const { question, row, type } = page.field
  const part = row ? voice(row.label) : type === 'other' ? 'other answers' : ''
  const name = voice(question.title) || question.id
  return {
    title: part ? `${name} – ${part}` : name,
    content: html`<p class="back"><a href="${partOf(looking, '')}">Back to report</a></p>${chipsView(page.q, looking, voice)}
<form method="get" action="${looking.base}${textsPath(key)}" role="search" class="search"><input type="hidden" name="${OWN.base}" value="${looking.conditions.join('&')}">${
      looking.language && html`<input type="hidden" name="${OWN.language}" value="${looking.language}">`
    }<label for="text" class="hidden">Search answers</label>
<input class="box" id="text" name="${OWN.words}" type="search" value="${search ?? ''}" placeholder="Search answers"><button>Search</button></form>
${listView(page, looking, { key, search, before })}`,
  }
}

interface At {
  key: string
  search: string | undefined
  before: number | undefined
}

function listView({ texts, more }: TextPage, looking: ReportRequest, { key, search, before }: At): Html {
  const path = looking.base + textsPath(key)
  const words = search ? [`${OWN.words}=${encodeURIComponent(search)}`] : []
  const here = (rest: string[]) => addressOf(path, [...looking.conditions, ...words, ...rest], looking.language)
  if (texts.length === 0)
    return html`<p class="card" role="status">${search ? 'No answers match.' : before ? 'No older answers.' : 'No answers yet.'}</p>`
  return html`<section class="card" aria-label="Answers">${writtenView(texts, looking)}</section>
<nav class="pager" aria-label="Pages">${before && html`<a href="${here([])}">Newest</a>`}${more && html`<a href="${here([`${OWN.before}=${texts.at(-1)!.responseId}`])}" rel="next">Older</a>`}</nav>`
}
