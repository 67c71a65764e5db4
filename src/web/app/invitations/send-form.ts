import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, type FormErrors } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { localValue, zoneField } from '../../forms/zone.ts'
import { zoneName } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { capitalize, pluralize } from '../../layout/pluralize.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { units } from './schedule.ts'

/**
 * Renders the form that sends a draft now, after a delay, or at a time.
 * @param action the address to which the form is submitted
 */
export function sendForm(
  { csrf, form, context }: SurveyRequest,
  action: string,
  recipients: number,
  rejected?: FormErrors,
): Html {
  const errors: FieldErrorTexts = rejected?.errors ?? new Map()
  const submitted = (name: string) => formValue(form, name) ?? ''
  const chosen = rejected ? submitted('when') || 'now' : 'now'
  const radio = (name: string, label: string) =>
    html`<label class="option"><input type="radio" name="when" id="when-${name}" value="${name}"${name === chosen && html` checked`}> ${label}</label>`
  const input = (name: string, type: string, label: string, more: Html) =>
    html`<div><label for="${name}">${label}</label><input class="box" id="${name}" name="${name}" type="${type}" value="${submitted(name)}"${errors.has(name) && html` aria-invalid="true"`}${more}></div>`
  const now = localValue(context.now)
  const fieldError = ['weeks', 'days', 'hours', 'minutes', 'date', 'time', 'scheduled']
    .map((name) => errors.get(name))
    .find(Boolean)
  return html`<section class="card when" aria-labelledby="send"><h2 id="send">Send invitation</h2>${alert(rejected?.general)}
<form method="post" action="${action}">${csrfField(csrf)}${zoneField()}<fieldset><legend class="soft">To ${pluralize(recipients, 'recipient')}</legend>
${fieldError && html`<p class="error" role="alert">${fieldError}</p>`}
${radio('now', t('Now'))}${radio('after', t('After a delay'))}
<div class="after parts">${units.map(({ name }) => input(name, 'number', t(capitalize(name)), html` min="0" max="99999" inputmode="numeric"`))}</div>
${radio('at', t('On a date'))}
<div class="at parts">${input('date', 'date', t('Date'), html` min="${now.slice(0, 10)}" aria-describedby="zone"`)}${input('time', 'time', t('Time ({zone})', { zone: zoneName() }), html` aria-describedby="zone"`)}</div><p class="hint at" id="zone">${t('Times are in the time zone {zone}. It is now {time}.', { zone: zoneName(), time: now.slice(11, 16) })}</p></fieldset>
<button class="primary">Send</button></form></section>`
}
