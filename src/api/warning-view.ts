import type { StructureWarning } from '../domain/structure/structure.ts'

/**
 * Formats a warning for a reply. The warning names a probable mistake in a structure, or a change that affects stored
 * answers.
 */
export const warningView = ({ pointer, code, message }: StructureWarning) => ({ pointer, code, message })
