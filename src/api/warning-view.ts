import type { StructureWarning } from '../domain/structure/warnings.ts'

/** Formats a warning about a probable mistake in a structure for a reply. */
export const warningView = ({ pointer, code, message }: StructureWarning) => ({ pointer, code, message })
