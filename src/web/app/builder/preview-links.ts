import {
  createPreviewLink,
  LINK_LIFETIMES,
  listPreviewLinks,
  type PreviewLink,
  revokePreviewLink,
} from '../../../domain/survey/preview-links.ts'
import { findCurrentVersion } from '../../../domain/survey/versions.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, copyButton, type FormErrors, field, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { editMenu } from './menu.ts'

/** Shows the links with which people without an account view the draft. */
export const showPreviewLinks = (request: SurveyRequest): Promise<PageResult> => linksPage(request)

async function linksPage(
  request: SurveyRequest,
  { rejected, created }: { rejected?: FormErrors; created?: string } = {},
): Promise<PageResult> {
  const { context, survey, root, csrf, form } = request
  const { links } = await listPreviewLinks(context, survey.id)
  const path = `${root}edit/preview-links/`
  const shown = (name: string) => (rejected ? (formValue(form, name) ?? '') : '')
  return request.render({
    title: t('Share a preview'),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(`${root}edit/`, t('All questions')),
    scripts: ['copy.js'],
    content: html`
      ${
        created !== undefined &&
        html`<div class="notice" role="status">
          <p>Copy the link now. You cannot see it again later.</p>
          <p class="copyable">
            <code class="secret" id="preview-link">${created}</code> ${copyButton(
              'preview-link',
              t('Copy the preview link'),
            )}
          </p>
        </div>`
      }
      <section class="card" aria-labelledby="new">
        <h2 id="new">New link</h2>
        <p class="soft">
          Anyone with the link can try the survey, without an account. Their answers are not stored.
        </p>
        ${alert(rejected?.general)}
        <form method="post" action="${path}">
          ${csrfField(csrf)}
          ${field({
            name: 'label',
            label: t('For whom'),
            hint: t('Only you and your team see this. For example, ethics board.'),
            value: shown('label'),
            errors: rejected?.errors,
          })}
          ${select({
            name: 'shows',
            label: t('Shows'),
            value: shown('shows'),
            options: [
              { value: '', label: t('the draft as it is when the link is opened') },
              { value: 'published', label: t('the version that is published now') },
            ],
            errors: rejected?.errors,
          })}
          ${select({
            name: 'expires',
            label: t('Expires'),
            value: rejected ? shown('expires') : '30',
            options: [
              ...LINK_LIFETIMES.map((days) => ({ value: String(days), label: t('after {days} days', { days }) })),
              { value: '', label: t('never') },
            ],
            errors: rejected?.errors,
          })}
          <div class="field checks">
            <label>
              <input type="checkbox" name="comments" value="1"${shown('comments') && html` checked`}>
              <span>People with the link can comment</span>
            </label>
          </div>
          <button class="primary">Create link</button>
        </form>
      </section>
      <section class="card" aria-labelledby="links">
        <h2 id="links">Links</h2>
        ${
          links.length === 0
            ? html`<p class="soft">No links yet.</p>`
            : html`<ul class="rows sides">${links.map((link) => linkRow(link, { path, csrf }))}</ul>`
        }
      </section>`,
  })
}

const linkRow = (
  { id, label, version, comments, createdAt, expiresAt }: PreviewLink,
  { path, csrf }: { path: string; csrf: string },
): Html =>
  html`<li>
    <div class="grow">
      <strong>${label || t('Preview link')}</strong>
      <p class="soft">
        ${version === null ? t('Shows the draft') : t('Shows version {version}', { version })},
        created ${timeTag(createdAt)}, ${expiresAt ? html`expires ${timeTag(expiresAt)}` : t('does not expire')}${
          comments && html`, ${t('with comments')}`
        }
      </p>
    </div>
    <form method="post" action="${path}${id}/revoke/">
      ${csrfField(csrf)}
      <button class="small danger" aria-label="${
        label ? t('Revoke the link for {label}', { label }) : t('Revoke this link')
      }">Revoke</button>
    </form>
  </li>`

/** Creates a link, which only this reply shows. */
export function savePreviewLink(request: SurveyRequest): Promise<PageResult> {
  const { form, survey } = request
  const days = formValue(form, 'expires') ?? ''
  const known = LINK_LIFETIMES.find((lifetime) => String(lifetime) === days)
  return formPage(request, {
    fields: ['label'],
    act: async (context) =>
      createPreviewLink(context, survey.id, {
        label: formValue(form, 'label'),
        version:
          formValue(form, 'shows') === 'published' ? (await findCurrentVersion(context, survey.id)).version : undefined,
        comments: formValue(form, 'comments') === '1',
        days: known,
      }),
    view: (rejected) => linksPage(request, { rejected }),
    done: ({ url }) => {
      request.ctx.set('Cache-Control', 'no-store')
      return linksPage(request, { created: url })
    },
  })
}

export async function revokePreviewLinkPage(request: SurveyRequest): Promise<PageResult> {
  const id = parseId(request.params.link)
  await request.write((context) => revokePreviewLink(context, request.survey.id, id))
  request.flash(t('Link revoked. It no longer opens the preview.'))
  return { redirect: `${request.root}edit/preview-links/` }
}
