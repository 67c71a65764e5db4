import { changePassword } from '../../../domain/account/change-password.ts'
import { changeLocale, changeProfile } from '../../../domain/account/commands.ts'
import { mayUsePassword } from '../../../domain/account/credentials.ts'
import { findPendingEmail } from '../../../domain/account/email-change.ts'
import { findSecondFactor } from '../../../domain/account/second-factor.ts'
import { endSessionById, endSessions, listSessions } from '../../../domain/account/session.ts'
import { exportAccount } from '../../../domain/account-data/archive.ts'
import { type AccountDeletion, deleteAccount } from '../../../domain/account-data/delete.ts'
import { MAX_OFFERED_SURVEYS, surveysOfOthers } from '../../../domain/account-data/hand-over.ts'
import { listAuthorizedApps } from '../../../domain/oauth/authorized-apps.ts'
import { problems } from '../../../domain/problem.ts'
import { type Html, html } from '../../../lib/html.ts'
import { setCookie } from '../../cookie.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { pageLanguages } from '../../i18n/catalog.ts'
import { inLocale, localeFor, pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { authPage } from '../../layout/document.ts'
import { timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { activitySection } from '../people/activity.ts'
import { HAND_OVER_PATH } from '../people/hand-over.ts'
import { confirmationField, identitiesSection, originOf } from '../sign-in/providers.ts'
import { surveyRoot } from '../surveys/survey-page.ts'
import { authorizedAppsSection, keepApplicationsField, keepsApplications } from './authorized-apps.ts'
import { secondFactorSection } from './second-factor.ts'

interface RejectedForm extends FormErrors {
  of: 'profile' | 'password' | 'locale'
}

export const showAccount = (request: SignedInRequest): Promise<PageResult> => accountPage(request)

/** Renders a notice about an email address that is not confirmed yet. */
const pendingView = (pending: string, current: string, csrf: string): Html =>
  html`<div class="notice">
    <p>
      Open the link that we sent to <strong>${pending}</strong> to confirm the address. Until then, your email address
      is ${current}.
    </p>
    <form method="post" action="/account/email/cancel/">
      ${csrfField(csrf)}
      <button class="small">Cancel change</button>
    </form>
  </div>`

async function accountPage(request: SignedInRequest, rejected?: RejectedForm): Promise<PageResult> {
  const { context, csrf, session, form } = request
  const sessions = await listSessions(context)
  const connected = await listAuthorizedApps(context)
  const pending = await findPendingEmail(context)
  const rejectedForm = (which: RejectedForm['of']) => (rejected?.of === which ? rejected : undefined)
  const rejectedProfile = rejectedForm('profile')
  const fieldValue = (name: 'name' | 'email') => (rejectedProfile ? (formValue(form, name) ?? '') : context.actor[name])
  return request.render({
    title: t('Account'),
    content: html`
      <section class="card" aria-labelledby="profile">
        <h2 id="profile">Profile</h2>
        <p class="soft">Your username is <strong>${context.actor.username}</strong>.</p>
        ${pending && pendingView(pending, context.actor.email, csrf)}
        ${alert(rejectedProfile?.general)}
        <form method="post" action="/account/">
          ${csrfField(csrf)}
          ${field({
            name: 'name',
            label: t('Name'),
            value: fieldValue('name'),
            autocomplete: 'name',
            errors: rejectedProfile?.errors,
          })}
          ${field({
            name: 'email',
            label: t('Email address'),
            type: 'email',
            value: fieldValue('email'),
            autocomplete: 'email',
            required: true,
            errors: rejectedProfile?.errors,
          })}
          ${await confirmationField(request, '/account/', {
            name: 'current',
            label: t('Password'),
            hint: t('Required only if you change your email address. We send a confirmation link to the new address.'),
            errors: rejectedProfile?.errors,
          })}
          <button class="primary">Save profile</button>
        </form>
      </section>
      ${
        mayUsePassword(context.services, context.actor) &&
        (await passwordSection(request, connected.length > 0, rejectedForm('password')))
      }
      ${secondFactorSection((await findSecondFactor(context, context.actor.id)) !== undefined)}
      ${await identitiesSection(request)}
      ${localeSection(request, rejectedForm('locale'))}
      ${authorizedAppsSection(connected, csrf)}
      <section class="card" aria-labelledby="sessions">
        <h2 id="sessions">Active sessions</h2>
        <ul class="rows">
          ${sessions.map(
            ({ id, agent, ipAddress, seenAt }) =>
              html`<li>
                <div>
                  <strong>${browserOf(agent)}</strong>
                  ${id === session.id && html` <span class="tag">this browser</span>`}
                  <p class="soft">${ipAddress}, last active ${timeTag(seenAt)}</p>
                </div>
                ${
                  id !== session.id &&
                  html`<form method="post" action="/account/sessions/${id}/">
                    ${csrfField(csrf)}
                    <button class="small" aria-label="Sign out ${browserOf(agent)}, ${ipAddress}">Sign out</button>
                  </form>`
                }
              </li>`,
          )}
        </ul>
        <form method="post" action="/account/sessions/">${csrfField(csrf)}<button>Sign out everywhere</button></form>
      </section>
      <section class="card" aria-labelledby="theme">
        <h2 id="theme">Default theme of your surveys</h2>
        <p class="soft">Choose the logo, colours, font and footer that your surveys have by default.</p>
        <p class="below"><a class="button plain" href="/account/theme/">Change default theme</a></p>
      </section>
      ${activitySection(context.services.securityLogDays)}
      ${deletionSection()}`,
  })
}

/** Renders the form that changes the password. */
async function passwordSection(
  request: SignedInRequest,
  hasApplications: boolean,
  rejected?: FormErrors,
): Promise<Html> {
  const { context, csrf, form } = request
  return html`<section class="card" aria-labelledby="password-title">
    <h2 id="password-title">Password</h2>
    <p class="soft">
      Changing your password signs you out of all other browsers. <a href="/account/keys/">API keys</a> keep working
      until you revoke them.
    </p>
    ${alert(rejected?.general)}
    <form method="post" action="/account/password/">
      ${csrfField(csrf)}
      <input type="hidden" name="username" autocomplete="username" value="${context.actor.username}">
      ${await confirmationField(request, '/account/', {
        id: 'current-password',
        name: 'current',
        label: t('Current password'),
        required: true,
        errors: rejected?.errors,
      })}
      ${field({
        name: 'password',
        label: t('New password'),
        type: 'password',
        autocomplete: 'new-password',
        hint: t('At least 8 characters.'),
        attributes: html` minlength="8" maxlength="256"`,
        required: true,
        errors: rejected?.errors,
      })}
      ${hasApplications && keepApplicationsField(rejected && keepsApplications(form))}
      <button>Change password</button>
    </form>
  </section>`
}

export async function saveProfile(request: SignedInRequest): Promise<PageResult> {
  const { form } = request
  const change = {
    name: formValue(form, 'name') ?? '',
    email: formValue(form, 'email') ?? '',
    password: formValue(form, 'current') ?? '',
  }
  return formPage(request, {
    fields: ['name', 'email', 'current'],
    act: (context) => changeProfile(context, change, originOf(request)),
    view: (rejected) => accountPage(request, { of: 'profile', ...rejected }),
    done: (pending) => ({
      redirect: '/account/',
      flash: pending
        ? t('Profile saved. To confirm {pending}, open the link in the email we sent.', { pending })
        : t('Profile saved.'),
    }),
  })
}

/** Saves the language and the time zone of the pages. */
export async function saveLocale(request: SignedInRequest): Promise<PageResult> {
  const language = formValue(request.form, 'language') || null
  const change = { language, timeZone: formValue(request.form, 'time_zone') || null }
  return formPage(request, {
    fields: ['language', 'time_zone'],
    act: async (context) => {
      if (language !== null && !Object.hasOwn(pageLanguages, language))
        throw problems.invalidField('language', 'invalid_value')
      await changeLocale(context, change)
    },
    view: (rejected) => accountPage(request, { of: 'locale', ...rejected }),
    done: () => ({
      redirect: '/account/',
      flash: inLocale(localeFor(request.ctx, change), () => t('Language and time zone saved.')),
    }),
  })
}

export async function savePassword(request: SignedInRequest): Promise<PageResult> {
  const { form, session } = request
  const change = { current: formValue(form, 'current') ?? '', newPassword: formValue(form, 'password') ?? '' }
  const keep = { session: session.id, applications: keepsApplications(form) }
  return formPage(request, {
    fields: ['current', 'password'],
    act: (context) => changePassword(context, change, keep, originOf(request)),
    view: (rejected) => accountPage(request, { of: 'password', ...rejected }),
    done: () => ({
      redirect: '/account/',
      flash: t('Password changed. You are signed out of all other browsers.'),
    }),
  })
}

export async function signOutSession(request: SignedInRequest): Promise<PageResult> {
  await request.write((context) => endSessionById(context, parseId(request.params.id)))
  request.flash(t('Browser signed out.'))
  return { redirect: '/account/' }
}

export async function signOutEverywhere({ ctx, context, write }: SignedInRequest): Promise<PageResult> {
  await write((transaction) => endSessions(transaction, context.actor.id))
  setCookie(ctx, context.services, 'session', undefined)
  return { redirect: '/accounts/login/' }
}

const timeZones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]

/** Renders the form for the language and the time zone of the pages. */
function localeSection({ session, csrf, form }: SignedInRequest, rejected?: FormErrors): Html {
  const { language, timeZone } = session.locale
  const value = (name: string, stored: string | null) => (rejected ? (formValue(form, name) ?? '') : (stored ?? ''))
  const browser = { value: '', label: t('As in the browser') }
  return html`<section class="card" aria-labelledby="locale">
    <h2 id="locale">Language and time zone</h2>
    <form method="post" action="/account/locale/">
      ${csrfField(csrf)}
      ${select({
        name: 'language',
        label: t('Language of the pages'),
        hint: t(
          'This setting does not change the language of existing surveys and invitations, or of the guides and the API reference.',
        ),
        value: value('language', language),
        options: [browser, ...Object.entries(pageLanguages).map(([code, name]) => ({ value: code, label: name }))],
        errors: rejected?.errors,
      })}
      ${select({
        name: 'time_zone',
        label: t('Time zone'),
        hint: t('With “As in the browser”, times are in UTC if JavaScript is turned off.'),
        value: value('time_zone', timeZone),
        options: [browser, ...timeZones.map((name) => ({ value: name, label: name.replaceAll('_', ' ') }))],
        errors: rejected?.errors,
      })}
      <button>Save language and time zone</button>
    </form>
  </section>`
}

/** Renders the section of the account page with which users export or delete their account. */
const deletionSection = (): Html =>
  html`<section class="card" aria-labelledby="delete">
    <h2 id="delete">Export or delete your account</h2>
    <p class="soft">Download all your data as a ZIP archive, or delete your account and all its data.</p>
    <div class="actions">
      <a class="button plain" href="/account/export/" download>Export</a>
      <a class="button plain" href="${HAND_OVER_PATH}">Hand surveys over…</a>
      <a class="button plain danger" href="/account/delete/">Delete account…</a>
    </div>
  </section>`

/** Streams an archive of all data of the account. */
export const downloadAccount = async ({ context }: SignedInRequest): Promise<PageResult> => ({
  file: await exportAccount(context),
  type: 'application/zip',
  name: `${context.actor.username}.zip`,
})

export const confirmDeleteAccount = (request: SignedInRequest): Promise<PageResult> => deletionPage(request)

async function deletionPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const shared = await surveysOfOthers(request.context, request.context.actor)
  if (shared.length > 0) return sharedSurveysPage(request, shared)
  return request.render({
    title: t('Delete your account?'),
    beforeHeading: backLink('/account/', t('Account')),
    content: html`<section class="card">
      <p>
        This deletes your surveys with all responses, and your contacts, invitations, API keys, applications, webhooks
        and groups. Surveys that others shared with you are not deleted. You cannot undo this.
      </p>
      <div class="actions"><a class="button plain" href="/account/export/" download>Export your data first</a></div>
      ${alert(rejected?.general)}
      <form method="post" action="/account/delete/">
        ${csrfField(request.csrf)}
        <input type="hidden" name="username" autocomplete="username" value="${request.context.actor.username}">
        ${await confirmationField(request, '/account/delete/', {
          name: 'password',
          label: t('Your password'),
          required: true,
          errors: rejected?.errors,
        })}
        <div class="actions">
          <button class="danger">Delete account</button>
          <a class="button plain" href="/account/">Cancel</a>
        </div>
      </form>
    </section>`,
  })
}

/** Says which surveys stand in the way of the deletion, because other people work on them. */
function sharedSurveysPage(request: SignedInRequest, surveys: readonly { id: number; name: string }[]): PageResult {
  const chosen = surveys.slice(0, MAX_OFFERED_SURVEYS).map(({ id }) => `survey=${id}`)
  return request.render({
    title: t('Delete your account?'),
    beforeHeading: backLink('/account/', t('Account')),
    content: html`<section class="card">
      <p>
        Other people work on surveys that you own. Hand these surveys over, or remove the people, before you delete your
        account.
      </p>
      <ul class="rows sides">
        ${surveys.map(
          ({ id, name }) =>
            html`<li>
              <a href="${surveyRoot(id)}">${name}</a>
              <a class="button small quiet" href="${surveyRoot(id)}share/" aria-label="People with access to ${name}">
                People
              </a>
            </li>`,
        )}
      </ul>
      <div class="actions">
        <a class="button primary" href="${HAND_OVER_PATH}?${chosen.join('&')}">Hand over…</a>
        <a class="button plain" href="/account/">Cancel</a>
      </div>
    </section>`,
  })
}

/** Deletes the account and shows a confirmation without personal data. */
export async function removeAccount(request: SignedInRequest): Promise<PageResult> {
  const { ctx, context, form } = request
  return formPage(request, {
    fields: ['password'],
    act: (writing) => deleteAccount(writing, formValue(form, 'password') ?? '', originOf(request)),
    view: (rejected) => deletionPage(request, rejected),
    done: (receipt) => {
      setCookie(ctx, context.services, 'session', undefined)
      return receiptPage(receipt)
    },
  })
}

function receiptPage(receipt: AccountDeletion): PageResult {
  const counts = {
    [t('Surveys')]: receipt.surveys,
    [t('Responses')]: receipt.responses,
    [t('Contacts')]: receipt.contacts,
    [t('Webhooks')]: receipt.webhooks,
    [t('API keys')]: receipt.apiKeys,
    [t('Applications')]: receipt.applications,
    [t('Groups')]: receipt.groups,
  }
  return {
    page: authPage(
      t('Account deleted'),
      html`
        <p class="soft">Print or save this page if you need a record. It contains no personal data.</p>
        <dl class="facts">
          <dt>Deleted</dt>
          <dd>${timeTag(receipt.deletedAt)}</dd>
          <dt>Account number</dt>
          <dd>${receipt.accountId}</dd>
          ${Object.entries(counts).map(
            ([what, count]) => html`<dt>${what}</dt><dd>${count.toLocaleString(pageLanguage())}</dd>`,
          )}
        </dl>`,
    ),
  }
}

const browsers: readonly [RegExp, string][] = [
  [/\bEdg/, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: readonly [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** Returns a readable name for the browser of a User-Agent header: `Firefox on Linux`. */
function browserOf(agent: string): string {
  const name = (patterns: typeof browsers) => patterns.find(([pattern]) => pattern.test(agent))?.[1]
  const [browser, system] = [name(browsers), name(systems)]
  if (!browser) return agent ? agent.slice(0, 40) : t('Unknown browser')
  return system ? t('{browser} on {system}', { browser, system }) : browser
}
