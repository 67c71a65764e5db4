import { changeLocale } from '../../../domain/account/commands.ts'
import { problems } from '../../../domain/problem.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { type FormErrors, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { select } from '../../forms/select.ts'
import { pageLanguages } from '../../i18n/catalogs.ts'
import { inLocale, localeFor } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'

const timeZones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]

/** Renders the form for the language and the time zone of the pages. */
export function localeSection({ session, csrf, form }: SignedInRequest, rejected?: FormErrors): Html {
  const { language, timeZone } = session.locale
  const value = (name: string, stored: string | null) => (rejected ? (formValue(form, name) ?? '') : (stored ?? ''))
  const browser = { value: '', label: t('As in the browser') }
  return html`<section class="card" aria-labelledby="locale"><h2 id="locale">Language and time zone</h2>
<form method="post" action="/account/locale/">${csrfField(csrf)}
${select({ name: 'language', label: t('Language of the pages'), hint: t('This setting does not change the language of existing surveys and invitations, or of the guides and the API reference.'), value: value('language', language), options: [browser, ...Object.entries(pageLanguages).map(([code, name]) => ({ value: code, label: name }))], errors: rejected?.errors ?? new Map() })}
${select({ name: 'time_zone', label: t('Time zone'), hint: t('With “As in the browser”, times are in UTC if JavaScript is turned off.'), value: value('time_zone', timeZone), options: [browser, ...timeZones.map((name) => ({ value: name, label: name.replaceAll('_', ' ') }))], errors: rejected?.errors ?? new Map() })}
<button class="primary">Save language and time zone</button></form></section>`
}

/**
 * Saves the language and the time zone.
 * @param rejectedPage renders the account page with the errors of the rejected form
 */
export async function saveLocaleForm(
  request: SignedInRequest,
  rejectedPage: (rejected: FormErrors) => Promise<PageResult>,
): Promise<PageResult> {
  const language = formValue(request.form, 'language') || null
  const change = { language, timeZone: formValue(request.form, 'time_zone') || null }
  try {
    if (language !== null && !Object.hasOwn(pageLanguages, language))
      throw problems.invalidField('language', 'invalid_value')
    await request.write((context) => changeLocale(context, change))
  } catch (error) {
    return rejectedPage(fieldErrorsOf(request.toProblem(error), ['language', 'time_zone']))
  }
  inLocale(localeFor(request.ctx, change), () => request.flash(t('Language and time zone saved.')))
  return { redirect: '/account/' }
}
