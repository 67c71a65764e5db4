import type { PersonalColumn } from '../structure/meta-fields.ts'
import type { SurveySnapshot } from './snapshot.ts'

/** Columns of a response that identify the respondent, with the values that erase them (docs/specification.md 13.3). */
export const ERASED_IDENTITY = {
  username: '',
  ip_address: '',
  get_variables: null,
  referrer: null,
  invite_code: null,
  invite_email: null,
  invite_name: null,
} as const satisfies Record<PersonalColumn, '' | null>

const HOUR_MS = 3_600_000

/** Truncates a time to its hour (UTC). The times of anonymous responses are stored with this precision. */
export const truncateToHour = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS)

/** Returns whether the responses of a collector are anonymous. */
export const isAnonymousCollector = ({ collectors }: SurveySnapshot, collectorId: number): boolean =>
  collectors.get(collectorId)?.settings.anonymous === true
