import { createHash } from 'node:crypto'
import type { Choice } from '../structure/questionnaire.ts'

/**
 * Returns a text that identifies a list of offered choices. A page contains it, so that the service knows which choices
 * the respondent saw.
 */
export const offerKey = (offered: readonly Choice[]): string =>
  createHash('sha256')
    .update(offered.map(({ uid }) => uid).join())
    .digest('base64url')
    .slice(0, 12)
