#!/usr/bin/env node
// The start of the program. It is JavaScript, because Node.js would load its compiler of TypeScript for a first file in
// TypeScript, which takes 14 MB and half of the time of a short command.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// If most objects that a line of code creates outlive two collections, V8 creates its later ones in the old space, for as
// long as the process runs. Objects of requests in flight look so under load, then are garbage there: up to 17 kB a
// request, a fifth of the throughput and 120 MB. Chance decides in which processes, so some were slower than others.
setFlagsFromString('--no-allocation-site-pretenuring')

// Keeps compiled modules beside the program for the next start. Where the folder cannot be written, it is only read.
enableCompileCache(process.env.NODE_COMPILE_CACHE ?? fileURLToPath(new URL('../build/compile-cache', import.meta.url)))
const { runCommandLine } = await import('./command/command-line.ts')
await runCommandLine(process.argv.slice(2))
