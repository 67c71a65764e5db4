import { lastErrorIn } from '../../../domain/webhook/disabled-reason.ts'
import { t } from '../../i18n/t.ts'

/**
 * Returns the reason why a webhook was disabled, in the language of the page. Network error messages are not
 * translated.
 */
export function reasonText(reason: string): string {
  const last = lastErrorIn(reason)
  if (!last) return reason
  const error = last.status === undefined ? last.text : t('HTTP status {status}', { status: last.status })
  return t('Every attempt to deliver a message failed. Last error: {error}.', { error })
}
