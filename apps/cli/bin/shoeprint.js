#!/usr/bin/env node
import '../../../dist/apps/cli/src/main.js';
