#!/usr/bin/env node
// For services that were set up with this file.
import './main.mjs'
