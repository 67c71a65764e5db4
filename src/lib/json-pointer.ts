import { findNodeAtLocation, type Node } from 'jsonc-parser'
import { treeOf } from './json-syntax.ts'
import { rangeAt, type TextRange } from './text-range.ts'

/** Returns the steps of a JSON pointer (RFC 6901); the pointer to the whole document has none. */
const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/**
 * Returns a function that finds the text range of a JSON pointer. For a missing value it returns the range of the
 * innermost existing object or array. The range of an object or array is its first character, so that an editor does
 * not highlight all of it.
 */
export function rangeFinder(text: string): (pointer: string) => TextRange {
  let tree: Node | undefined
  return (pointer) => {
    tree ??= treeOf(text)
    let node = tree
    for (const step of stepsOf(pointer)) {
      const inner = node && childAt(node, step)
      if (!inner) break
      node = inner
    }
    if (!node) return rangeAt(text, 0)
    const isContainer = node.type === 'object' || node.type === 'array'
    return rangeAt(text, node.offset, node.offset + (isContainer ? 1 : node.length))
  }
}

/**
 * Returns the value that one step leads to. If an object has duplicate members, returns the last one, as JSON.parse
 * does.
 */
function childAt(node: Node, step: string): Node | undefined {
  if (node.type === 'array') return /^\d+$/.test(step) ? findNodeAtLocation(node, [Number(step)]) : undefined
  return node.children?.findLast(({ children }) => children?.[0]?.value === step)?.children?.[1]
}
