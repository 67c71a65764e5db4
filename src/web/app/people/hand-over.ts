import {
  type HandOver,
  listHandOvers,
  listOwnSurveys,
  offerSurveys,
  withdrawHandOver,
} from '../../../domain/account-data/hand-over.ts'
import type { InvitationLink } from '../../../domain/group/colleague-invitations.ts'
import { ROLES } from '../../../domain/group/group.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, fieldErrorsOf, select } from '../../forms/field.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { dateTag, pluralize } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { surveyRoot } from '../surveys/survey-page.ts'
import { linkView, rolesText } from './views.ts'

export const HAND_OVER_PATH = '/account/hand-over/'

export const showHandOver = (request: SignedInRequest): Promise<PageResult> => handOverPage(request)

/** Shows the surveys of the user, and the form that offers them to another person. */
async function handOverPage(
  request: SignedInRequest,
  { rejected, offer }: { rejected?: FormErrors; offer?: InvitationLink } = {},
): Promise<PageResult> {
  const { context } = request
  const named = request.query.getAll('survey').map(Number).filter(Number.isSafeInteger)
  const own = await listOwnSurveys(context, named)
  return request.render({
    title: t('Hand surveys over'),
    beforeHeading: backLink('/account/', t('Account')),
    scripts: ['copy.js'],
    content: html`
      ${offer && linkView(offer)}
      ${alert(rejected?.general)}
      ${offersView(await listHandOvers(context), request.csrf)}
      ${own.length === 0 ? html`<p class="soft">You own no surveys.</p>` : formView(request, own, rejected)}`,
  })
}

/** Renders the form. The surveys of `?survey=` are chosen; without it, all. */
function formView(
  { csrf, form, query }: SignedInRequest,
  own: readonly { id: number; name: string }[],
  rejected: FormErrors | undefined,
): Html {
  const errors = rejected?.errors
  const named = rejected ? formValues(form, 'surveys') : query.getAll('survey')
  const isChosen = (id: number) => (rejected || named.length > 0 ? named.includes(String(id)) : true)
  return html`<section class="card" aria-labelledby="offer">
    <h2 id="offer">Hand over to another person</h2>
    <p class="soft">
      Nothing changes until the person accepts. Then they own the surveys with all responses. Links, QR codes and
      invitations keep working, and everyone else keeps their access.
    </p>
    <form method="post" action="${HAND_OVER_PATH}">
      ${csrfField(csrf)}
      ${field({
        name: 'email',
        label: t('Email address'),
        type: 'email',
        value: rejected ? (formValue(form, 'email') ?? '') : '',
        required: true,
        errors,
      })}
      ${select({
        name: 'keep',
        label: t('What you can do afterwards'),
        hint: t('Your webhooks for these surveys are deleted. Reminders stop unless you keep everything.'),
        value: rejected ? (formValue(form, 'keep') ?? '') : 'all',
        options: [
          { value: 'all', label: t('Everything except sharing and deleting the survey') },
          { value: 'view', label: t('View responses and reports') },
          { value: '', label: t('Nothing: I leave the survey') },
        ],
      })}
      <fieldset class="roles">
        <legend>Surveys</legend>
        ${own.map(
          ({ id, name }) =>
            html`<label class="option" for="survey-${id}">
              <input type="checkbox" id="survey-${id}" name="surveys"
                  value="${id}"${isChosen(id) && html` checked`}> <span>${name}</span>
            </label>`,
        )}
      </fieldset>
      ${errors?.has('surveys') && html`<p class="error">${errors.get('surveys')}</p>`}
      <button class="primary">Offer</button>
    </form>
  </section>`
}

const offersView = (offers: readonly HandOver[], csrf: string): Part =>
  offers.length > 0 &&
  html`<section class="card" aria-labelledby="offers">
    <h2 id="offers">Offers</h2>
    <ul class="rows sides">
      ${offers.map(
        ({ id, email, surveys, roles, state, expiresAt }) =>
          html`<li>
            <div class="grow">
              <strong>${email}</strong> ${
                state === 'pending'
                  ? html`<span class="soft">offered, expires ${dateTag(expiresAt)}</span>`
                  : html`<span class="tag open">${state === 'expired' ? t('Expired') : t('Declined')}</span>`
              }
              <p>
                ${surveys.map(
                  ({ id: survey, name }, index) =>
                    html`${index > 0 && ', '}<a href="${surveyRoot(survey)}">${name}</a>`,
                )}
              </p>
              <p class="soft">
                ${
                  roles.length > 0 ? t('You keep: {roles}', { roles: rolesText(roles) }) : t('You will have no access.')
                }
              </p>
            </div>
            ${
              state !== 'declined' &&
              html`<form method="post" action="${HAND_OVER_PATH}${id}/withdraw/">
                ${csrfField(csrf)}
                <button class="small quiet" aria-label="Withdraw: offer to ${email}">Withdraw</button>
              </form>`
            }
          </li>`,
      )}
    </ul>
  </section>`

const KEPT: Readonly<Record<string, string>> = { all: ROLES.join(' '), view: 'View' }

/** Offers surveys. If the server cannot send email, the reply shows the link. */
export const submitHandOver = (request: SignedInRequest): Promise<PageResult> => {
  const { form } = request
  const surveys = formValues(form, 'surveys').map(parseId)
  const offer = {
    surveys,
    email: (formValue(form, 'email') ?? '').trim(),
    roles: KEPT[formValue(form, 'keep') ?? ''] ?? '',
  }
  return formPage(request, {
    fields: (error) => fieldErrorsOf(error, ['email', 'surveys']),
    act: (context) => offerSurveys(context, offer),
    view: (rejected) => handOverPage(request, { rejected }),
    done: (made) =>
      made.url === undefined
        ? {
            redirect: HAND_OVER_PATH,
            flash: t('{surveys} offered to {email}.', {
              surveys: pluralize(made.surveys.length, 'survey'),
              email: made.email,
            }),
          }
        : handOverPage(request, { offer: made }),
  })
}

export async function withdrawOffer(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.offer)
  await request.write((context) => withdrawHandOver(context, id))
  request.flash(t('Offer withdrawn. Its link no longer works.'))
  return { redirect: HAND_OVER_PATH }
}
