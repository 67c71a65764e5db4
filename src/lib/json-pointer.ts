import { findNodeAtLocation, type Node } from 'jsonc-parser'
import { treeOf } from './json-syntax.ts'
import { placeAt, type TextRange } from './text-range.ts'

/** Returns the steps of a JSON pointer (RFC 6901); the pointer to the whole document has none. */
const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/**
 * Finds the text ranges that JSON pointers name. Where a value is missing, the range is that of the innermost object or array
 * around it. The range of an object or array is its first character, so that no whole page is highlighted.
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

/** Takes one step down; of a duplicate member the last one, which is the effective one. */
function below(node: Node, step: string): Node | undefined {
  if (node.type === 'array') return /^\d+$/.test(step) ? findNodeAtLocation(node, [Number(step)]) : undefined
  return node.children?.findLast(({ children }) => children?.[0]?.value === step)?.children?.[1]
}
