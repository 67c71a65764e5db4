import { identifies } from '../../../domain/response/filter/identity.ts'
import type { StoredResponse } from '../../../domain/response/filter/stored-response.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { timeTag } from '../../layout/time-tag.ts'
import { collectorName } from './columns.ts'
import { durationText } from './time.ts'

/** What a response carries beside its answers; who gave it only where respondents are known. */
export function factsView(snapshot: SurveySnapshot, row: StoredResponse): Html {
  const isKnown = identifies(snapshot, row.collector_id)
  const personal: [string, Part][] = [
    ['Username', row.username],
    ['IP address', row.ip_address],
    ['Referrer', row.referrer],
    ['URL parameters', row.get_variables],
    ['Invite name', row.invite_name],
    ['Invite email', row.invite_email],
    ['Invite code', row.invite_code],
  ]
  const facts: [string, Part][] = [
    ['Started', timeTag(new Date(row.created_at))],
    ['Updated', timeTag(new Date(row.updated_at))],
    ['Duration', row.completion_time !== null && durationText(row.completion_time)],
    ['Saves', row.saves],
    ['Score', row.weighted_score],
    ['Language', row.language],
    ['Pages viewed', row.pagepath],
    ['Collector', collectorName(snapshot, row.collector_id)],
    ...(isKnown ? personal : []),
    ['Key', html`<code>${row.key.toString('hex')}</code>`],
  ]
  const told = facts.filter(([, value]) => value !== null && value !== '' && value !== false)
  return html`<dl class="facts">${told.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${!isKnown && html`<p class="soft below">This response is anonymous. Nothing that identifies the respondent is stored.</p>`}`
}
