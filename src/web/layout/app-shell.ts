import { type Html, html, type Part } from '../../lib/html.ts'
import type { AssetName } from '../assets.ts'
import { csrfField } from '../csrf.ts'
import { pageDirection, pageLanguage } from '../i18n/page-locale.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { htmlDocument, logo } from './document.ts'
import { icon, sideMenu } from './parts.ts'

/**
 * The sections of the application. Those that are `below` the account are in the side list of the account instead of
 * the navigation.
 */
const SECTIONS = perLanguage(
  () =>
    [
      { name: 'surveys', label: t('Surveys'), own: t('Your surveys'), path: '/account/surveys/', below: false },
      { name: 'contacts', label: t('Contacts'), own: t('Your contacts'), path: '/account/contacts/', below: false },
      { name: 'groups', label: t('Groups'), own: t('Your groups'), path: '/account/groups/', below: false },
      { name: 'webhooks', label: t('Webhooks'), own: t('Your webhooks'), path: '/account/webhooks/', below: true },
      { name: 'keys', label: t('API keys'), own: t('Your API keys'), path: '/account/keys/', below: true },
      {
        name: 'administration',
        label: t('Administration'),
        own: t('Administration'),
        path: '/administration/',
        below: false,
      },
      { name: 'account', label: t('Account'), own: t('Your account'), path: '/account/', below: false },
    ] as const,
)
export type Section = ReturnType<typeof SECTIONS>[number]['name']

/**
 * Returns the section of the navigation whose path is the beginning of the given path; the account section if there is
 * no such section.
 */
export const sectionAt = (path: string): ReturnType<typeof SECTIONS>[number] =>
  SECTIONS().find((section) => path.startsWith(section.path)) ?? SECTIONS().at(-1)!

export const sectionOf = (wanted: Section): ReturnType<typeof SECTIONS>[number] =>
  SECTIONS().find(({ name }) => name === wanted)!

/** A page of the application. */
export interface AppPage {
  /** The heading of the page, which is also in the title of the window. */
  title: string
  section: Section
  /** The path of the page, which determines the guide that the page links to. */
  path: string
  csrf: string
  /** The ID of the signed-in account, so that the page shows typed text only to the account that typed it (app.js). */
  accountId: number
  /** Whether the navigation leads to the administration. */
  isAdministrator: boolean
  /** The message that the previous request has set. It is shown only once. */
  flash?: Flash | undefined
  /** An element beside the heading, usually a link to the form that creates an object. */
  action?: Part
  /** A back link, shown above the heading. */
  beforeHeading?: Part
  /** The bar below the header, with the name of the survey to which the page belongs and its tabs. */
  bar?: Part
  /** The list of pages beside the content. Pages of the account have the list of the account. */
  side?: Part
  /** Whether only screen readers read the heading, because the tab or the side list shows the same words. */
  hidesHeading?: boolean
  scripts?: readonly AssetName[]
  content: Part
}

/** Renders a page for signed-in users. */
export const appPage = (shown: AppPage): Html => {
  const {
    title,
    section,
    path,
    csrf,
    flash,
    action,
    beforeHeading,
    scripts = [],
    content,
    bar,
    isAdministrator,
    accountId,
  } = shown
  const { below } = sectionOf(section)
  const isAccount = below || section === 'account'
  const side = shown.side ?? (isAccount ? accountMenu(path) : null)
  const hidesHeading =
    shown.hidesHeading ?? (isAccount && !action && ACCOUNT_PAGES().some(({ label }) => label === title))
  const guide = guideFor(path)
  return htmlDocument({
    language: pageLanguage(),
    direction: pageDirection(),
    title: `${title} – Canvass`,
    layout: 'app',
    scripts: ['app.js', ...scripts],
    body: html`
      <a class="skip" href="#main">Skip to main content</a>
      <header class="bar">
        <a class="brand" href="/account/surveys/">${logo}Canvass</a> <button class="quiet small sections-button"
            popovertarget="sections">${icon('menu')}Menu</button>
        <nav id="sections" popover aria-label="Main">
          <ul>
            ${SECTIONS()
              .filter(({ name, below }) => !below && (name !== 'administration' || isAdministrator))
              .map(
                ({ name, label, path }) =>
                  html`<li>
                    <a href="${path}"${(below ? 'account' : section) === name && html` aria-current="page"`}>
                      ${icon(name)}${label}
                    </a>
                  </li>`,
              )}
          </ul>
        </nav>
        <a class="button quiet small" href="${guide.path}">${icon('help')}<span>Help</span></a>
        <form method="post" action="/accounts/logout/">
          ${csrfField(csrf)}
          <button class="quiet small">${icon('sign-out')}<span>Sign out</span></button>
        </form>
      </header>
      ${bar}
      <main id="main" tabindex="-1" data-account="${accountId}">
        ${flash && flashView(flash, csrf)}
        ${side}
        ${beforeHeading}
        ${
          hidesHeading
            ? html`<h1 class="hidden">${title}</h1>`
            : html`<div class="head"><h1>${title}</h1>${action}</div>`
        }
        ${content}
      </main>
      ${helpView(guide)}`,
  })
}

/** The pages of the account, in the side list. The first page whose path begins the current path is the current page. */
const ACCOUNT_PAGES = perLanguage(() => [
  { label: t('Second factor'), path: '/account/second-factor/' },
  { label: t('Activity'), path: '/account/security/' },
  { label: t('Theme'), path: '/account/theme/' },
  { label: t('API keys'), path: '/account/keys/' },
  { label: t('Webhooks'), path: '/account/webhooks/' },
  { label: t('Your applications'), path: '/accounts/developer/' },
  { label: t('Hand surveys over'), path: '/account/hand-over/' },
  { label: t('Account'), path: '/account/' },
])

function accountMenu(path: string): Html {
  const pages = ACCOUNT_PAGES()
  const current = pages.find((page) => path.startsWith(page.path))?.path
  const last = pages.at(-1)!
  const links = [last, ...pages.slice(0, -1)].map((page) => ({ ...page, isCurrent: page.path === current }))
  return sideMenu(t('Account'), links, path === current)
}

/** A form that undoes an action. */
export interface Undo {
  /** The path to which the form is submitted. */
  action: string
  fields: Readonly<Record<string, string>>
}

/** The message that an action shows on the next page. */
export interface Flash {
  text: string
  undo?: Undo | undefined
}

/** Maximum length of the encoded cookie. Browsers ignore cookies of more than 4,096 bytes. */
const MAX_COOKIE_CHARACTERS = 3_800
const MAX_TEXT_CHARACTERS = 500

/** Returns a message as a cookie value. Leaves out the form that undoes the action if the cookie would be too long. */
export function encodeFlash({ text, undo }: Flash): string {
  const encode = (flash: Flash) => Buffer.from(JSON.stringify(flash)).toString('base64url')
  const short = text.slice(0, MAX_TEXT_CHARACTERS)
  const encoded = encode({ text: short, undo })
  return encoded.length > MAX_COOKIE_CHARACTERS ? encode({ text: short }) : encoded
}

/** Returns the message in a cookie; undefined if the value was not created by {@link encodeFlash}. */
export function decodeFlash(cookie: string): Flash | undefined {
  try {
    const { text, undo } = JSON.parse(Buffer.from(cookie, 'base64url').toString('utf8')) as Partial<Flash>
    if (typeof text !== 'string') return undefined
    const isForm = typeof undo?.action === 'string' && undo.action.startsWith('/account/') && isTexts(undo.fields)
    return { text: text.slice(0, MAX_TEXT_CHARACTERS), undo: isForm ? undo : undefined }
  } catch {
    return undefined
  }
}

const isTexts = (fields: unknown): boolean =>
  typeof fields === 'object' && fields !== null && Object.values(fields).every((value) => typeof value === 'string')

/** Renders a message. If the message has a form that undoes the action, also renders the button of this form. */
const flashView = ({ text, undo }: Flash, csrf: string): Html =>
  html`<div class="notice flash" role="status">
    <p>${text}</p>
    ${
      undo &&
      html`<form method="post" action="${undo.action}">
        ${csrfField(csrf)}
        ${Object.entries(undo.fields).map(
          ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
        )}
        <button class="small">Undo</button>
      </form>`
    }
  </div>`

/** The path and the title of a guide. */
interface Guide {
  path: string
  title: string
}

const guide = (name: string, title: string): Guide => ({ path: `/docs/guides/${name}/`, title })

/** The guides for pages of the application. The first guide that matches the path is used. */
const GUIDES: () => readonly [pages: RegExp, guide: Guide][] = perLanguage(() => [
  [/^\/account\/surveys\/\d+\/edit\/json\//, guide('structure', t('Write a structure'))],
  [/^\/account\/surveys\/\d+\/edit\/theme\//, guide('theme', t('Brand a survey'))],
  [/^\/account\/surveys\/\d+\/edit\/paper\//, guide('collect', t('Collect responses'))],
  [/^\/account\/surveys\/\d+\/edit\/settings\//, guide('collect', t('Collect responses'))],
  [/^\/account\/surveys\/\d+\/edit\//, guide('builder', t('Edit a survey in the builder'))],
  [/^\/account\/surveys\/\d+\/(responses|reports)\//, guide('export', t('Export responses'))],
  [/^\/account\/surveys\/\d+\/invitations\//, guide('invite', t('Invite people by email'))],
  [/^\/account\/surveys\/\d+\/embeds\//, guide('embed', t('Embed a survey in a web page'))],
  [/^\/account\/surveys\/\d+\/webhooks\//, guide('webhooks', t('Receive webhooks'))],
  [/^\/account\/surveys\/\d+\//, guide('collect', t('Collect responses'))],
  [/^\/account\/contacts\//, guide('invite', t('Invite people by email'))],
  [/^\/account\/webhooks\//, guide('webhooks', t('Receive webhooks'))],
  [/^\/account\/theme\//, guide('theme', t('Brand a survey'))],
  [/^\/account\/(keys|applications)\//, guide('sign-in', t('Sign in'))],
])

/** Returns the guide about a page of the application. */
export const guideFor = (path: string): Guide =>
  GUIDES().find(([pages]) => pages.test(path))?.[1] ?? guide('start', t('Start a survey'))

/** Renders the links to the documentation at the end of a page. */
const helpView = ({ path, title }: Guide): Html =>
  html`<footer class="help">
    <p>Guide: <a href="${path}">${title}</a></p>
    <p><a href="/docs/">All guides</a></p>
    <p><a href="/docs/v3/">API reference</a></p>
  </footer>`
