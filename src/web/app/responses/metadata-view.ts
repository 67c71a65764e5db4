import { showsIdentity } from '../../../domain/response/filter/identity.ts'
import type { StoredResponse } from '../../../domain/response/filter/stored-response.ts'
import { metaLabel } from '../../../domain/structure/meta-fields.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import { collectorName } from './columns.ts'
import { durationText } from './duration.ts'

/**
 * Renders the metadata of a response. Includes personal data only if {@link showsIdentity} returns true for the
 * collector.
 */
export function metadataView(snapshot: SurveySnapshot, row: StoredResponse): Html {
  const isIdentified = showsIdentity(snapshot, row.collector_id)
  const personal: [string, Part][] = [
    [t(metaLabel('_username')), row.username],
    [t(metaLabel('_ip_address')), row.ip_address],
    [t(metaLabel('_referrer')), row.referrer],
    [t(metaLabel('_get_variables')), row.get_variables],
    [t(metaLabel('_invite_name')), row.invite_name],
    [t(metaLabel('_invite_email')), row.invite_email],
    [t(metaLabel('_invite_code')), row.invite_code],
  ]
  const metadata: [string, Part][] = [
    [t(metaLabel('_created_at')), timeTag(new Date(row.created_at))],
    [t(metaLabel('_updated_at')), timeTag(new Date(row.updated_at))],
    [t('Duration'), row.completion_time !== null && durationText(row.completion_time)],
    [t(metaLabel('_saves')), row.saves],
    [t(metaLabel('_weighted_score')), row.weighted_score],
    [t(metaLabel('_language')), row.language],
    [t(metaLabel('_pagepath')), row.pagepath],
    [t(metaLabel('_collector')), collectorName(snapshot, row.collector_id)],
    ...(isIdentified ? personal : []),
    [t(metaLabel('_key')), html`<code>${row.key.toString('hex')}</code>`],
  ]
  const shown = metadata.filter(([, value]) => value !== null && value !== '' && value !== false)
  return html`<dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${!isIdentified && html`<p class="soft below">This response is anonymous. Canvass stores no data that identifies the respondent.</p>`}`
}
