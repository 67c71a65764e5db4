import type { Answers } from '../structure/questionnaire.ts'
import { scoreOf } from '../structure/score.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Completion, Incoming } from './inbox.ts'

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
 * A response that a program hands in, in the form it is stored (decisions, section 3: meta as for an import). It has a
 * weighted score once it is complete. Who answered is left out where the survey is anonymous.
 */
export function importedResponse(snapshot: SurveySnapshot, answers: Answers, facts: Facts): Incoming {
  const collector = snapshot.collectors.get(facts.collectorId ?? 0) ?? snapshot.defaultCollector
  const incoming: Incoming = {
    locale: null,
    completionTime: null,
    username: '',
    referrer: null,
    inviteEmail: null,
    inviteName: null,
    ...IMPORTED,
    ...facts,
    surveyId: snapshot.id,
    revision: snapshot.revision,
    collectorId: collector.id,
    answers: JSON.stringify(answers),
    weightedScore: facts.completed === 1 ? scoreOf(snapshot.questionnaire, answers) : null,
    language: facts.language ?? '',
    pagepath: null,
    inviteCode: null,
  }
  return collector.settings.anonymous ? withoutPerson(incoming) : incoming
}

/** Decisions, section 7, "anonymous": these are not stored. */
const withoutPerson = (incoming: Incoming): Incoming => ({
  ...incoming,
  username: '',
  ipAddress: '',
  getVariables: null,
  referrer: null,
  inviteEmail: null,
  inviteName: null,
})
