import {
  deletePanelReturn,
  entryUrl,
  findPanelReturn,
  rotatePanelSecret,
  updatePanelReturn,
} from '../../domain/collector/panel-return.ts'
import { DEFAULT_SIGNATURE_PARAMETER, PANEL_OUTCOMES, type PanelOutcome } from '../../domain/survey/panel-return.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { csrfField } from '../csrf.ts'
import { alert, type FormErrors, field } from '../forms/field.ts'
import { formValue } from '../forms/form-fields.ts'
import { formPage } from '../forms/form-page.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { backLink } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { findShown } from './collectors.ts'
import { linkView } from './surveys/show.ts'
import type { SurveyRequest } from './surveys/survey-page.ts'

/** The label and the hint of the address for each end. */
const OUTCOMES: () => Readonly<Record<PanelOutcome, { label: string; hint: string }>> = perLanguage(() => ({
  complete: { label: t('Address after a complete response'), hint: t('Leave blank for the end page of the survey.') },
  screened_out: { label: t('Address after screening out'), hint: t('When a skip ended the survey early.') },
  quota_full: {
    label: t('Address when a quota is full'),
    hint: t('Also when the response limit is reached or the survey is closed.'),
  },
}))

/** Shows where the respondents of a panel return from a collector. */
export const showPanelReturn = (request: SurveyRequest): Promise<PageResult> => panelPage(request)

async function panelPage(
  request: SurveyRequest,
  { rejected, secret }: { rejected?: FormErrors; secret?: string } = {},
): Promise<PageResult> {
  const { context, root, csrf, form } = request
  const collector = await findShown(request)
  const panel = await findPanelReturn(context, collector.id)
  const path = `${root}collectors/${collector.id}/panel/`
  const shown = (name: string, stored: string | null | undefined) =>
    rejected ? (formValue(form, name) ?? '') : (stored ?? '')
  const errors = rejected?.errors
  return request.render({
    title: t('Return links for a panel'),
    beforeHeading: backLink(`${root}collectors/${collector.id}/`, collector.name),
    scripts: ['copy.js'],
    content: html`
      ${secret !== undefined && secretView(secret)}
      ${
        panel &&
        html`<section class="card" aria-labelledby="entry">
          <h2 id="entry">Link for the panel</h2>
          ${linkView(
            'entry-link',
            t('The panel adds the ID of each respondent at the end.'),
            t('Copy link for the panel'),
            entryUrl(context.services, collector, panel),
          )}
        </section>`
      }
      <section class="card" aria-labelledby="addresses">
        <h2 id="addresses">Where respondents return</h2>
        <p class="soft">
          At the end, each respondent is redirected to one of these addresses. They begin with https:// and contain
          ${html`<span class="nowrap">${'{{ respondent_id }}'}</span>`} in the query, which is replaced with the ID.
        </p>
        ${alert(rejected?.general)}
        <form method="post" action="${path}">
          ${csrfField(csrf)}
          ${field({
            name: 'parameter',
            label: t('Parameter with the respondent’s ID'),
            hint: t('As the panel adds it to the survey link, for example pid.'),
            value: shown('parameter', panel?.parameter),
            required: true,
            errors,
          })}
          ${PANEL_OUTCOMES.map((outcome) =>
            field({
              name: outcome,
              ...OUTCOMES()[outcome],
              value: shown(outcome, panel?.[outcome]),
              attributes: html` inputmode="url" spellcheck="false"`,
              errors,
            }),
          )}
          ${field({
            name: 'signature_parameter',
            label: t('Parameter with the signature'),
            hint: t('Added to the end of each address once there is a secret.'),
            value: shown('signature_parameter', panel?.signature_parameter ?? DEFAULT_SIGNATURE_PARAMETER),
            errors,
          })}
          <button class="primary">Save</button>
        </form>
      </section>
      ${panel && secretForms(path, csrf, panel.secret_encrypted !== null)}`,
  })
}

const secretView = (secret: string): Html =>
  html`<section class="card" aria-labelledby="secret">
    <h2 id="secret">Your new secret</h2>
    <p>Copy it now and give it to the panel. It is not shown again.</p>
    <p class="below">
      <code id="secret-text">${secret}</code> <button type="button" class="small" data-copy="secret-text"
          aria-label="Copy secret" hidden>Copy</button>
    </p>
  </section>`

const secretForms = (path: string, csrf: string, isSigned: boolean): Part =>
  html`<section class="card" aria-labelledby="signature">
    <h2 id="signature">Signature</h2>
    <p>
      ${
        isSigned
          ? t('The addresses are signed. A new secret replaces the present one at once.')
          : t('The addresses are not signed: respondents could make up an address. Create a secret to sign them.')
      }
    </p>
    <p><a href="/docs/guides/collect/#return-respondents-to-a-panel">How the panel verifies a signature</a></p>
    <div class="button-row below">
      <form method="post" action="${path}secret/">
        ${csrfField(csrf)}
        <button>${isSigned ? t('Replace secret') : t('Create secret')}</button>
      </form>
      <form method="post" action="${path}delete/">
        ${csrfField(csrf)}
        <button class="danger">Remove panel and secret</button>
      </form>
    </div>
  </section>`

/** Saves the addresses. */
export async function savePanelReturn(request: SurveyRequest): Promise<PageResult> {
  const { id } = await findShown(request)
  const value = (name: string) => formValue(request.form, name)?.trim()
  return formPage(request, {
    fields: ['parameter', ...PANEL_OUTCOMES, 'signature_parameter'],
    act: (context) =>
      updatePanelReturn(context, id, {
        parameter: value('parameter') ?? '',
        complete: value('complete'),
        screened_out: value('screened_out'),
        quota_full: value('quota_full'),
        signature_parameter: value('signature_parameter') || DEFAULT_SIGNATURE_PARAMETER,
      }),
    view: (rejected) => panelPage(request, { rejected }),
    done: () => ({ redirect: `${request.root}collectors/${id}/panel/`, flash: t('Return links saved.') }),
  })
}

/** Creates a new secret, which only this reply shows. */
export async function rotatePanelSecretPage(request: SurveyRequest): Promise<PageResult> {
  const { id } = await findShown(request)
  const secret = await request.write((context) => rotatePanelSecret(context, id))
  request.ctx.set('Cache-Control', 'no-store')
  return panelPage(request, { secret })
}

/** Removes the addresses and the secret. */
export async function removePanelReturn(request: SurveyRequest): Promise<PageResult> {
  const { id } = await findShown(request)
  await request.write((context) => deletePanelReturn(context, id))
  request.flash(t('Panel removed.'))
  return { redirect: `${request.root}collectors/${id}/` }
}
