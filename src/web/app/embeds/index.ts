import type { AddPage } from '../surveys/index.ts'
import { makeEmbed, removeEmbed, showEmbeds } from './list.ts'

/** Snippets that put the survey into other people's pages. */
export function routeEmbeds(add: AddPage): void {
  add('get', 'embeds/', 'showEmbeds', showEmbeds)
  add('post', 'embeds/', 'makeEmbed', makeEmbed)
  add('post', 'embeds/:embed/delete/', 'removeEmbed', removeEmbed)
}
