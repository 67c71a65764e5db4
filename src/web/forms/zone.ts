import { type Html, html } from '../../lib/html.ts'
import { localTime, momentOf } from '../../lib/time-zone.ts'
import { pageLocale } from '../i18n/page-locale.ts'

/** The parameter with which a form names the time zone in which it showed its times. */
export const ZONE_PARAMETER = 'view-zone'

/** Renders the hidden field of a form with times. The request is served in the time zone that it names. */
export const zoneField = (): Html =>
  html`<input type="hidden" name="${ZONE_PARAMETER}" value="${pageLocale().timeZone}">`

/**
 * Returns a moment as the value of an input `datetime-local`, in the time zone of the page: to the minute, or to the
 * second if its seconds are not zero.
 */
export const localValue = (at: Date): string => localTime(at, pageLocale().timeZone).replace(/:00$/, '')

/**
 * Returns the moment of a value of an input `datetime-local` or `date` as ISO 8601 in UTC. Returns other texts
 * unchanged, for the error message.
 */
export const utcValue = (local: string): string => momentOf(local, pageLocale().timeZone)?.toISOString() ?? local
