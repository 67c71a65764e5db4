import type { Answers } from '../../structure/questionnaire.ts'
import { scoreOf } from '../../structure/score.ts'
import { toStored } from '../../structure/stored.ts'
import { truncateToHour } from '../../survey/anonymity.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Completion, NewResponse } from './new-response.ts'

/** Values of meta fields that identify a response as submitted by a program. */
export const IMPORTED_META = { ipAddress: '0.0.0.0', getVariables: 'IMPORTED&' }

/** Meta fields of a response submitted by a program. Absent fields get default values. */
export interface ImportedMeta {
  key: Buffer
  completed: Completion
  createdAt: Date
  updatedAt?: Date
  collectorId?: number | undefined
  language?: string | undefined
  locale?: number | null
  completionTime?: number | null
  username?: string
  ipAddress?: string
  getVariables?: string | null
  referrer?: string | null
  pagepath?: string | null
  inviteEmail?: string | null
  inviteName?: string | null
  /** The span of the request. */
  traceparent?: string | undefined
}

/**
 * Builds a response submitted through the API or an import (docs/specification.md 7.5). Complete responses have a
 * weighted score. Responses of anonymous collectors contain no identity.
 */
export function importedResponse(snapshot: SurveySnapshot, answers: Answers, meta: ImportedMeta): NewResponse {
  const collector = snapshot.collectors.get(meta.collectorId ?? 0) ?? snapshot.defaultCollector
  const response: NewResponse = {
    surveyId: snapshot.id,
    revision: snapshot.revision,
    collectorId: collector.id,
    key: meta.key,
    completed: meta.completed,
    answers: JSON.stringify(toStored(snapshot.questionnaire, answers)),
    createdAt: meta.createdAt,
    updatedAt: meta.updatedAt ?? meta.createdAt,
    locale: meta.locale ?? null,
    completionTime: meta.completionTime ?? null,
    weightedScore: meta.completed === 1 ? scoreOf(snapshot.questionnaire, answers) : null,
    language: meta.language ?? '',
    username: meta.username ?? '',
    ipAddress: meta.ipAddress ?? IMPORTED_META.ipAddress,
    getVariables: meta.getVariables ?? IMPORTED_META.getVariables,
    referrer: meta.referrer ?? null,
    pagepath: meta.pagepath ?? null,
    inviteCode: null,
    inviteEmail: meta.inviteEmail ?? null,
    inviteName: meta.inviteName ?? null,
    traceparent: meta.traceparent,
    hasReservedId: snapshot.ownIdsFrom !== null,
  }
  return collector.settings.anonymous ? anonymizeNewResponse(response) : response
}

/** Removes the identity of the respondent from a new response, and truncates its times to the hour. */
export const anonymizeNewResponse = (response: NewResponse): NewResponse => ({
  ...response,
  createdAt: truncateToHour(response.createdAt),
  updatedAt: truncateToHour(response.updatedAt ?? response.createdAt),
  completionTime: null,
  username: '',
  ipAddress: '',
  getVariables: null,
  referrer: null,
  inviteCode: null,
  inviteEmail: null,
  inviteName: null,
  traceparent: undefined,
})
