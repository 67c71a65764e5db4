import { type Html, html } from '../../lib/html.ts'
import { perLanguage, t } from '../i18n/t.ts'

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
export const helpView = ({ path, title }: Guide): Html =>
  html`<footer class="help"><p>Guide: <a href="${path}">${title}</a></p><p><a href="/docs/">All guides</a></p><p><a href="/docs/v3/">API reference</a></p></footer>`
