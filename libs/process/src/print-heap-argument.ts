// Prints the argument of Node that limits the heap, for deploy/start.
import { heapArgument } from './heap-settings.js';

process.stdout.write(heapArgument(process.env));
