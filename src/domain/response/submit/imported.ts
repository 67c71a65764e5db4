import type { Answers } from '../../structure/questionnaire.ts'
import { scoreOf } from '../../structure/score.ts'
import { toStored } from '../../structure/stored.ts'
import { truncateToHour } from '../../survey/anonymity.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Completion, NewResponse } from './submission-batcher.ts'

/** What stands in the place of a respondent's address and GET variables when a program hands a response in. */
export const IMPORTED = { ipAddress: '0.0.0.0', getVariables: 'IMPORTED&' }

/** Facts about a response that a program hands in; those it leaves out are the marks of an import. */
export interface Facts {
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
  inviteEmail?: string | null
  inviteName?: string | null
}

/**
 * Returns a response that was created through the API, with the metadata of an import (docs/specification.md 7.5). It has
 * a weighted score once it is complete. Anonymous surveys omit the data that identify the respondent.
 */
export function importedResponse(snapshot: SurveySnapshot, answers: Answers, facts: Facts): NewResponse {
  const collector = snapshot.collectors.get(facts.collectorId ?? 0) ?? snapshot.defaultCollector
  const incoming: NewResponse = {
    surveyId: snapshot.id,
    revision: snapshot.revision,
    collectorId: collector.id,
    key: facts.key,
    completed: facts.completed,
    answers: JSON.stringify(toStored(snapshot.questionnaire, answers)),
    createdAt: facts.createdAt,
    updatedAt: facts.updatedAt ?? facts.createdAt,
    locale: facts.locale ?? null,
    completionTime: facts.completionTime ?? null,
    weightedScore: facts.completed === 1 ? scoreOf(snapshot.questionnaire, answers) : null,
    language: facts.language ?? '',
    username: facts.username ?? '',
    ipAddress: facts.ipAddress ?? IMPORTED.ipAddress,
    getVariables: facts.getVariables ?? IMPORTED.getVariables,
    referrer: facts.referrer ?? null,
    pagepath: null,
    inviteCode: null,
    inviteEmail: facts.inviteEmail ?? null,
    inviteName: facts.inviteName ?? null,
  }
  return collector.settings.anonymous ? anonymizeIncoming(incoming) : incoming
}

/** Removes the identity of the respondent from a new response, and truncates its times to the hour. */
export const anonymizeIncoming = (incoming: NewResponse): NewResponse => ({
  ...incoming,
  createdAt: truncateToHour(incoming.createdAt),
  updatedAt: truncateToHour(incoming.updatedAt ?? incoming.createdAt),
  completionTime: null,
  username: '',
  ipAddress: '',
  getVariables: null,
  referrer: null,
  inviteCode: null,
  inviteEmail: null,
  inviteName: null,
})
