import { type Html, html, type Part } from '../../lib/html.ts'
import type { AssetName } from '../assets.ts'
import { csrfField } from '../csrf.ts'
import { pageDirection, pageLanguage } from '../i18n/page-locale.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { htmlDocument, logo } from './document.ts'
import { type Flash, flashView } from './flash.ts'
import { guideFor, helpView } from './help.ts'
import { icon } from './icon.ts'

/** The sections of the navigation. */
const SECTIONS = perLanguage(
  () =>
    [
      { name: 'surveys', label: t('Surveys'), own: t('Your surveys'), path: '/account/surveys/' },
      { name: 'contacts', label: t('Contacts'), own: t('Your contacts'), path: '/account/contacts/' },
      { name: 'groups', label: t('Groups'), own: t('Your groups'), path: '/account/groups/' },
      { name: 'webhooks', label: t('Webhooks'), own: t('Your webhooks'), path: '/account/webhooks/' },
      { name: 'keys', label: t('API keys'), own: t('Your API keys'), path: '/account/keys/' },
      { name: 'account', label: t('Account'), own: t('Your account'), path: '/account/' },
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
  /** The message that the previous request has set. It is shown only once. */
  flash?: Flash | undefined
  /** An element beside the heading, usually a link to the form that creates an object. */
  action?: Part
  /** A back link or tabs, shown above the heading. */
  beforeHeading?: Part
  scripts?: readonly AssetName[]
  content: Part
}

/** Renders a page for signed-in users. */
export const appPage = (shown: AppPage): Html => {
  const { title, section, path, csrf, flash, action, beforeHeading, scripts = [], content } = shown
  const guide = guideFor(path)
  return htmlDocument({
    language: pageLanguage(),
    direction: pageDirection(),
    title: `${title} – Canvass`,
    layout: 'app',
    scripts: ['app.js', ...scripts],
    body: html`<a class="skip" href="#main">Skip to main content</a>
<header class="bar"><a class="brand" href="/account/surveys/">${logo}Canvass</a>
<button class="quiet small sections-button" popovertarget="sections">${icon('menu')}Menu</button>
<nav id="sections" popover aria-label="Main"><ul>${SECTIONS().map(
      ({ name, label, path }) =>
        html`<li><a href="${path}"${name === section && html` aria-current="page"`}>${icon(name)}${label}</a></li>`,
    )}</ul></nav>
<a class="button quiet small" href="${guide.path}">${icon('help')}<span>Help</span></a><form method="post" action="/accounts/logout/">${csrfField(csrf)}<button class="quiet small">${icon('sign-out')}<span>Sign out</span></button></form></header>
<main id="main" tabindex="-1">${flash && flashView(flash, csrf)}${beforeHeading}<div class="head"><h1>${title}</h1>${action}</div>
${content}</main>${helpView(guide)}`,
  })
}
