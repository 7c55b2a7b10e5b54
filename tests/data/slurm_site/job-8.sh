#!/bin/sh
echo $(id -un) >ran-8
