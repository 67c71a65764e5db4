import { findNodeAtLocation, type Node } from 'jsonc-parser'
import { treeOf } from './json-syntax.ts'
import { placeAt, type TextRange } from './text-range.ts'

/** The steps of a JSON pointer (RFC 6901); of the whole there are none. */
const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/**
 * Finds places of a JSON text by JSON pointer. What a pointer names may be missing: then it is the innermost object
 * or array around it. An object or array is only its first character, so that no whole page is marked.
 */
export function placesIn(text: string): (pointer: string) => TextRange {
  let tree: Node | undefined
  return (pointer) => {
    tree ??= treeOf(text)
    let node = tree
    for (const step of stepsOf(pointer)) {
      const inner = node && below(node, step)
      if (!inner) break
      node = inner
    }
    if (!node) return placeAt(text, 0)
    const long = node.type === 'object' || node.type === 'array'
    return placeAt(text, node.offset, node.offset + (long ? 1 : node.length))
  }
}

/** One step down; of a member that stands twice the last one, which is the one that counts. */
function below(node: Node, step: string): Node | undefined {
  if (node.type === 'array') return /^\d+$/.test(step) ? findNodeAtLocation(node, [Number(step)]) : undefined
  return node.children?.findLast(({ children }) => children?.[0]?.value === step)?.children?.[1]
}
