import { Idiomorph } from 'idiomorph'
import { announce } from './announce.ts'
import { refreshPreview } from './preview.ts'
import type { Reply } from './server.ts'

/** Returns whether the update must keep a node, because the node is unchanged or is being edited. */
const staysSame = (node: Node, next: Node): boolean =>
  node.isEqualNode(next) || (node instanceof Element && node.classList.contains('editing'))

/** Replaces the visible cards with the cards of a received page. Cards that did not change stay as they are. */
export function showBuilderPage(root: HTMLElement, { page }: Reply): void {
  const next = page.querySelector('#builder')
  if (!next) return
  Idiomorph.morph(root, next, {
    callbacks: { beforeNodeMorphed: (node: Node, after: Node) => !staysSame(node, after) },
  })
  root.dispatchEvent(new CustomEvent('builder:updated'))
  announceMessage(page)
  refreshPreview()
}

/** Replaces the bar that shows the state of the draft with the bar of a received page. */
export function showDraftBar(root: HTMLElement, { page }: Reply): void {
  const [bar, next] = [root.querySelector('.draft-bar'), page.querySelector('.draft-bar')]
  if (bar && next) Idiomorph.morph(bar, next)
  refreshPreview()
}

/** Announces the message of a received page, which states what was changed, or why nothing was changed. */
export function announceMessage(page: Document): void {
  const message = page.querySelector('main .alert > p, main p.alert, main > .notice')?.textContent
  if (message) announce(message.trim())
}
