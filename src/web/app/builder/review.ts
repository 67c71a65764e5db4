import {
  decideReview,
  findReview,
  MAX_SENTENCE_CHARACTERS,
  type Review,
  requestReview,
} from '../../../domain/survey/reviews.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, textArea } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { editMenu } from './menu.ts'

/** Shows the review of the draft, and lets people request it and decide. */
export const showReview = (request: SurveyRequest): Promise<PageResult> => reviewPage(request)

async function reviewPage(request: SurveyRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, survey, root, may } = request
  const review = await findReview(context, survey.id)
  const { isRequired, hash, state, isCurrent, published } = review
  return request.render({
    title: t('Review'),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(`${root}edit/`, t('All questions')),
    content: html`
      ${alert(rejected?.general)}
      <section class="card" aria-labelledby="state">
        <h2 id="state">${headingOf(review)}</h2>
        ${storyOf(review)}
        ${
          state !== 'none' &&
          !isCurrent &&
          html`<p class="warning">
            The draft was changed after this request. Request a review of the draft as it is now.
          </p>`
        }
        <p class="soft">
          ${
            isRequired
              ? t('This survey requires an approval: only an approved draft can be published.')
              : t('This survey can be published without an approval.')
          } ${may('Owner') && html`<a href="${root}edit/settings/#approval_required">Change</a>`}
        </p>
        <p class="soft">
          Hash of the draft (SHA-256): <code class="hash">${hash}</code>
          ${
            published.approvedHash !== null &&
            html`<br>The pages of the survey show the hash of the approved version ${published.version}:
            <code class="hash">${published.approvedHash}</code>`
          }
        </p>
      </section>
      ${state === 'pending' && isCurrent && may('Publish') && decisionForm(request, review, rejected)}
      ${may('Edit') && (state !== 'pending' || !isCurrent) && requestForm(request, rejected)}`,
  })
}

const headingOf = ({ state, isApproved, isCurrent }: Review): string => {
  if (isApproved) return t('The draft is approved')
  if (state === 'pending' && isCurrent) return t('Waiting for a decision')
  if (state === 'returned' && isCurrent) return t('The draft was sent back')
  return t('The draft is not approved')
}

function storyOf({ requester, note, requestedAt, state, decider, sentence, decidedAt }: Review): Part {
  const deleted = t('deleted account')
  const name = decider?.name || deleted
  return html`
    ${
      requestedAt &&
      html`<p>
        Review requested by ${requester?.name || deleted}, ${timeTag(requestedAt)}.
        ${note && html`<span class="comment-text">“${note}”</span>`}
      </p>`
    }
    ${
      decidedAt &&
      html`<p>
        ${state === 'approved' ? t('Approved by {name}', { name }) : t('Sent back by {name}', { name })},
        ${timeTag(decidedAt)}. ${sentence && html`<span class="comment-text">“${sentence}”</span>`}
      </p>`
    }`
}

function decisionForm(request: SurveyRequest, review: Review, rejected: FormErrors | undefined): Html {
  const { root, csrf, context, form } = request
  const isOwn = review.isRequired && review.requester?.id === context.actor.id
  return html`<section class="card" aria-labelledby="decide">
    <h2 id="decide">Decide</h2>
    ${
      isOwn &&
      html`<p class="soft">Somebody else has to approve what you requested. They need the right to publish.</p>`
    }
    <form method="post" action="${root}edit/review/decide/">
      ${csrfField(csrf)}
      <input type="hidden" name="hash" value="${review.hash}">
      ${textArea({
        name: 'sentence',
        label: t('Reason'),
        hint: t('Required to send the draft back.'),
        prose: true,
        rows: 2,
        value: rejected ? (formValue(form, 'sentence') ?? '') : '',
        errors: rejected?.errors,
      })}
      <div class="button-row">
        ${!isOwn && html`<button class="primary" name="decision" value="approve">Approve</button>`}
        <button name="decision" value="return">Send back</button>
      </div>
    </form>
  </section>`
}

function requestForm({ root, csrf, form }: SurveyRequest, rejected: FormErrors | undefined): Html {
  return html`<section class="card" aria-labelledby="request">
    <h2 id="request">Request a review</h2>
    <p class="soft">People with the right to publish can approve the draft as it is now, or send it back.</p>
    <form method="post" action="${root}edit/review/">
      ${csrfField(csrf)}
      ${textArea({
        name: 'note',
        label: t('What should they know?'),
        prose: true,
        rows: 2,
        value: rejected ? (formValue(form, 'note') ?? '') : '',
        errors: rejected?.errors,
      })}
      <button class="primary">Request review</button>
    </form>
  </section>`
}

/** Requests a review of the draft. */
export const saveReviewRequest = (request: SurveyRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['note'],
    act: (context) => requestReview(context, request.survey.id, formValue(request.form, 'note')),
    view: (rejected) => reviewPage(request, rejected),
    done: () => ({ redirect: `${request.root}edit/review/`, flash: t('Review requested.') }),
  })

/** Approves the draft, or sends it back. */
export function saveDecision(request: SurveyRequest): Promise<PageResult> {
  const { form, survey, root } = request
  const decision = formValue(form, 'decision') === 'approve' ? 'approve' : 'return'
  const sentence = (formValue(form, 'sentence') ?? '').slice(0, MAX_SENTENCE_CHARACTERS * 2)
  return formPage(request, {
    fields: ['sentence'],
    act: (context) => decideReview(context, survey.id, { decision, hash: formValue(form, 'hash') ?? '', sentence }),
    view: (rejected) => reviewPage(request, rejected),
    done: () => ({
      redirect: `${root}edit/review/`,
      flash: decision === 'approve' ? t('Draft approved.') : t('Draft sent back.'),
    }),
  })
}
